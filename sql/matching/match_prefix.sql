-- Title:   Prefixes of identifiers that name only diseases or only drugs
-- Formula: a list; terms under any other prefix, such as MESH, may be either
-- Units:   entity_kind is drug or disease
-- Grain:   prefix
select
    unnest(
        string_split('DOID EFO GARD HP ICD10CM ICD11 ICD9CM MONDO OMIM OMIMPS ORDO', ' ')
    ) as prefix,
    'disease' as entity_kind
union all
select
    unnest(string_split('ATC CAS CHEBI CHEMBL DRUGBANK INCHIKEY RXNORM UNII VANDF', ' ')) as prefix,
    'drug' as entity_kind
