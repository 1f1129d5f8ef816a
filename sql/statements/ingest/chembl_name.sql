-- Title:      Every name in a staged release of ChEMBL
-- Reads:      staged_indication, staged_name
select trim(efo_term) as name from staged_indication
where efo_term is not null
union all
select trim(mesh_heading) as name from staged_indication
where mesh_heading is not null
union all
select trim(name) as name from staged_name
