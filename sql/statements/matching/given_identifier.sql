-- Title:      Every identifier that matching compares, as it was given
-- Reads:      disease_alias, drug_alias, indication, registry_text
select value as given from disease_alias
where kind in ('efo_id', 'mondo_id', 'mesh_id')
union
select value as given from drug_alias
where kind = 'chembl_id'
union
select efo_id as given from indication
where efo_id is not null
union
select mesh_id as given from indication
where mesh_id is not null
union
select mesh_id as given from registry_text
where mesh_id is not null
union
select folded_text as given from registry_text
where
    not is_mesh_term
    and regexp_full_match(folded_text, '(chembl|[a-z][a-z0-9.]*[_:]) ?[a-z]{0,2}[0-9]+')
