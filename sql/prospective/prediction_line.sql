-- Title:   Canonical line of a prediction
-- Formula: the hashed fields of a prediction, tab-separated, NULL as nothing, floats shortest
-- Source:  docs/guides/publishing.md#canonical-bytes
-- Units:   text without a line end; hashed below the header, sorted by identifiers
-- Grain:   slate_id, disease_id, drug_id
select
    slate_id,
    disease_id,
    drug_id,
    disease_identifier,
    drug_identifier,
    line_checksum,
    concat(
        disease_identifier,
        chr(9), drug_identifier,
        chr(9), score,
        chr(9), rank,
        chr(9), tier,
        chr(9), known_label,
        chr(9), known_max_phase,
        chr(9), first_approval_year,
        chr(9), criterion,
        chr(9), criterion_min_phase,
        chr(9), criterion_horizon_years
    ) as line
from prediction
