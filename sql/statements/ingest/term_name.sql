-- Title:      Every name in a staged vocabulary
-- Reads:      staged_term_name
select name from staged_term_name
