-- Title:   Classes of the temporal pairs
-- Formula: later positive (approved from first_year to last_year) by year, or negative (no positive
--          label in any year); training positives and positives of other years are in neither
-- Units:   approval_year NULL = negative
-- Grain:   evaluation_id, ranker, cutoff_year, disease_id, drug_id
select
    temporal_score.evaluation_id,
    temporal_score.ranker,
    temporal_score.cutoff_year,
    temporal_score.disease_id,
    temporal_score.drug_id,
    temporal_score.score,
    labeled_pair.approval_year
from temporal_score
inner join ranker_run
    on
        temporal_score.evaluation_id = ranker_run.evaluation_id
        and temporal_score.ranker = ranker_run.ranker
        and temporal_score.cutoff_year = ranker_run.cutoff_year
        and ranker_run.procedure = 'temporal'
inner join evaluation on temporal_score.evaluation_id = evaluation.evaluation_id
left join labeled_pair
    on
        evaluation.label_set_id = labeled_pair.label_set_id
        and temporal_score.disease_id = labeled_pair.disease_id
        and temporal_score.drug_id = labeled_pair.drug_id
        and evaluation.positive_min_label <= labeled_pair.label
where
    labeled_pair.drug_id is null
    or labeled_pair.approval_year between ranker_run.first_year and ranker_run.last_year
