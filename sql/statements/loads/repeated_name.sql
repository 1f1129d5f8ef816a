-- Title:      A disease name under which a file names a drug twice, if there is one
-- Reads:      resolved_row
-- Note:       A list for each disease takes less memory than a group for each pair.
select disease_name_number
from resolved_row
group by disease_name_number
having count(*) <> len(list_distinct(list(drug_name_number)))
order by disease_name_number
limit 1
