-- Title:      The outcomes of an export, with no text that a spreadsheet takes for a formula
-- Reads:      files
select
    harmless(disease_identifier) as disease_identifier,
    harmless(drug_identifier) as drug_identifier,
    outcome_type,
    event_date,
    first_public_on,
    public_after,
    public_by,
    harmless(source) as source,
    harmless(detail) as detail,
    observed_at,
    recorded_at,
    outcome_origin,
    harmless(disease_name) as disease_name,
    harmless(drug_name) as drug_name
from read_parquet(:source)
