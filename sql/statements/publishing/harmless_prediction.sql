-- Title:      The predictions of an export, with no text that a spreadsheet takes for a formula
-- Reads:      files
select
    harmless(disease_identifier) as disease_identifier,
    harmless(drug_identifier) as drug_identifier,
    score,
    rank,
    tier,
    known_label,
    known_max_phase,
    first_approval_year,
    criterion,
    criterion_min_phase,
    criterion_horizon_years,
    harmless(disease_name) as disease_name,
    harmless(drug_name) as drug_name
from read_parquet(:source)
