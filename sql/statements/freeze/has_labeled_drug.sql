-- Title:      Whether a label set has a drug that the slate predicts
-- Reads:      labeled_pair, prediction
select
    exists(
        select 1
        from prediction
        inner join labeled_pair using (drug_id)
        where
            prediction.slate_id = :slate_id
            and labeled_pair.label_set_id = :label_set_id
    ) as has_labeled_drug
