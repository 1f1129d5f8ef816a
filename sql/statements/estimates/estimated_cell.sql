-- Title:      The candidates of a slate by disease and breadth
-- Reads:      breadth_cell, disease_activity
-- Parameters: slate_id
select
    breadth_cell.disease_id,
    disease_activity.degree_class,
    breadth_cell.breadth,
    breadth_cell.n_candidates,
    breadth_cell.n_known
from breadth_cell
inner join disease_activity
    on
        breadth_cell.slate_id = disease_activity.slate_id
        and breadth_cell.disease_id = disease_activity.disease_id
where breadth_cell.slate_id = :slate_id
order by breadth_cell.disease_id, breadth_cell.breadth
