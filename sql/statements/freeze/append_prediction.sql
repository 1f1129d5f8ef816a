-- Title:      Appends the predictions of a slate, each with the checksum of its line
-- Reads:      frozen_row, incoming_line
-- Writes:     prediction
select
    cast(:slate_id as uuid) as slate_id,
    frozen_row.disease_id,
    frozen_row.drug_id,
    frozen_row.disease_identifier,
    frozen_row.drug_identifier,
    frozen_row.score,
    frozen_row.rank,
    frozen_row.tier,
    frozen_row.known_label,
    frozen_row.known_max_phase,
    frozen_row.first_approval_year,
    frozen_row.criterion,
    frozen_row.criterion_min_phase,
    frozen_row.criterion_horizon_years,
    left(sha256(incoming_line.line), 16) as line_checksum
from frozen_row
inner join incoming_line using (disease_id, drug_id)
