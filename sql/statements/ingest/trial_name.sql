-- Title:      Every name in staged studies
-- Reads:      staged_condition, staged_intervention
select name from staged_condition
union all
select name from staged_intervention
