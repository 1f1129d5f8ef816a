-- Title:      Every name in a staged vocabulary
-- Reads:      staged_term_name
-- Parameters: none
select name from staged_term_name
