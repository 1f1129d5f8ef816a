-- Title:      The first prediction of a slate that differs from its frozen form, and why
-- Reads:      disease_alias, drug_alias, prediction, prediction_line, slate
with judged as (
    select
        prediction.disease_identifier,
        prediction.drug_identifier,
        prediction.rank,
        case
            when left(sha256(prediction_line.line), 16) <> prediction.line_checksum
                then 'is not as it was frozen'
            when prediction.disease_identifier not in (
                select disease_alias.value from disease_alias
                where
                    disease_alias.disease_id = prediction.disease_id
                    and disease_alias.added_at <= slate.recorded_at
            ) then 'now points to another disease'
            when prediction.drug_identifier not in (
                select drug_alias.value from drug_alias
                where
                    drug_alias.drug_id = prediction.drug_id
                    and drug_alias.added_at <= slate.recorded_at
            ) then 'now points to another drug'
        end as reason
    from prediction
    inner join prediction_line using (slate_id, disease_id, drug_id)
    inner join slate using (slate_id)
    where slate_id = :slate_id
)

select
    disease_identifier,
    drug_identifier,
    rank,
    reason
from judged
where reason is not null
order by disease_identifier, drug_identifier
limit 1
