-- Title:   Outcomes that may have been public at the freeze
-- Result:  At the freeze
-- Formula: outcomes whose interval of publication contains the freeze, by source and interval
-- Units:   counts; n_possible_hits of predicted pairs with a high-signal outcome; a release of the
--          source dated within the interval would settle them
-- Grain:   slate_id, source, public_after, public_by
select
    slate_id,
    outcome.source,
    outcome.public_after,
    outcome.public_by,
    count(*) as n_outcomes,
    count(distinct row(disease_id, drug_id)) as n_pairs,
    count(distinct row(disease_id, drug_id)) filter (
        where prediction.rank is not null and outcome.signal = 'high'
    ) as n_possible_hits
from outcome_timing as outcome
left join prediction using (slate_id, disease_id, drug_id)
where outcome.timing = 'straddles'
group by all
