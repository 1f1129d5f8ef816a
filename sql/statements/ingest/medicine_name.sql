-- Title:      Every name of a substance or area in staged medicines
-- Reads:      staged_medicine
select unnest(string_split(substances, ';')) as name from staged_medicine
union all
select unnest(string_split(areas, ';')) as name from staged_medicine
