-- Title:      Studies whose history is worth fetching, with the day of their last update
-- Reads:      event, prediction, trial
-- Note:       The studies of the ledger: those that name a drug and a disease of the store. With a
--             slate, those of its drugs and its diseases alone. Without an event a study counts for
--             no label, whatever its history. Which registry's release first showed a study of
--             ClinicalTrials.gov is all the same.
with slate_prediction as (
    select
        disease_id,
        drug_id
    from prediction
    where slate_id = cast(:slate_id as uuid)
),

followed_record as (
    select distinct record
    from event
    where
        starts_with(record, 'NCT')
        and event_origin = 'detected'
        and slate_id is null
        and (
            cast(:slate_id as uuid) is null
            or (
                drug_id in (select slate_prediction.drug_id from slate_prediction)
                and disease_id in (select slate_prediction.disease_id from slate_prediction)
            )
        )
)

select
    trial.nct_id,
    max(trial.last_update_posted_on) as updated_on
from trial
inner join followed_record on trial.nct_id = followed_record.record
where trial.version_number is null
group by trial.nct_id
order by trial.nct_id
