-- Title:   Evidence that the sources withdrew or lowered
-- Formula: an indication gone or in a lower phase than in the release before, under its molecule or
--          parent and either of its identifiers; a study, submission or medicine vanished, a study
--          no longer ended, an approval no longer approved, a human medicine without an area that
--          it had, a warning of a drug that the next release with warnings lacks
-- Units:   before and after in the source's words; a correction never undoes an outcome
-- Grain:   release_id, kind, record
with followed_indication as (
    -- An indication may continue under either identifier, so the higher phase of the two counts.
    select
        indication_identity.indication_id,
        release_order.release_id,
        any_value(indication_identity.phase) as phase_before,
        max(next_identity.phase) as phase_after
    from indication_identity
    inner join release_order
        on
            release_order.source = 'chembl'
            and indication_identity.position + 1 = release_order.position
    left join indication_identity as next_identity
        on
            indication_identity.molecule = next_identity.molecule
            and indication_identity.identifier = next_identity.identifier
            and release_order.position = next_identity.position
    group by indication_identity.indication_id, release_order.release_id
),

followed_approval as (
    select
        approval.release_id,
        concat_ws(
            '/',
            approval.application_number,
            approval.submission_type,
            approval.submission_number
        ) as record,
        approval.submission_status,
        lag(approval.submission_status) over (
            partition by
                approval.application_number, approval.submission_type, approval.submission_number
            order by release_order.position
        ) as status_before
    from approval
    inner join release_order using (release_id)
),

followed_medicine as (
    select
        medicine_version.medicine_id,
        medicine_version.release_id,
        medicine_version.product_number,
        lag(medicine_version.medicine_id) over (
            partition by medicine_version.product_number order by medicine_version.position
        ) as earlier_medicine_id
    from medicine_version
    inner join medicine using (medicine_id)
    where medicine.category = 'human'
),

followed_warning as (
    select
        drug_id,
        warning_type,
        warning_class,
        warning_country,
        warning_year,
        next_release_id,
        min(drug_alias) as drug_alias
    from warned_drug
    where next_release_id is not null
    group by
        drug_id, warning_type, warning_class, warning_country, warning_year, next_release_id
),

lost_warning as (
    select followed_warning.*
    from followed_warning
    anti join warned_drug
        on
            followed_warning.drug_id = warned_drug.drug_id
            and followed_warning.next_release_id = warned_drug.release_id
            and followed_warning.warning_type = warned_drug.warning_type
            and followed_warning.warning_class is not distinct from warned_drug.warning_class
            and followed_warning.warning_country is not distinct from warned_drug.warning_country
            and followed_warning.warning_year is not distinct from warned_drug.warning_year
),

followed_trial as (
    select
        trial.release_id,
        trial.nct_id,
        trial.overall_status,
        lag(trial.overall_status) over (
            partition by trial.nct_id order by release_order.position
        ) as status_before
    from trial
    inner join release_order using (release_id)
    where trial.version_number is null
)

select
    followed_indication.release_id,
    if(followed_indication.phase_after is null, 'indication gone', 'phase down') as kind,
    concat_ws(
        ' ', indication.source_key, indication.chembl_id, indication.efo_id, indication.mesh_id
    ) as record,
    cast(followed_indication.phase_before as varchar) as before,
    cast(followed_indication.phase_after as varchar) as after
from followed_indication
inner join indication using (indication_id)
where coalesce(followed_indication.phase_after, -1) < followed_indication.phase_before
union all
select
    record_presence.release_id,
    record_presence.kind || ' vanished' as kind,
    record_presence.record_key as record,
    'present' as before,
    null as after
from record_presence
inner join release_order using (release_id)
where not record_presence.is_present
union all
select
    release_id,
    'status reversed' as kind,
    nct_id as record,
    status_before as before,
    overall_status as after
from followed_trial
where
    status_before in ('COMPLETED', 'TERMINATED', 'WITHDRAWN')
    and coalesce(overall_status, '') not in ('COMPLETED', 'TERMINATED', 'WITHDRAWN')
union all
select
    release_id,
    'approval withdrawn' as kind,
    record,
    status_before as before,
    submission_status as after
from followed_approval
where status_before = 'AP' and submission_status is distinct from 'AP'
union all
select
    followed_medicine.release_id,
    'area gone' as kind,
    concat_ws(' ', followed_medicine.product_number, medicine_area.name) as record,
    medicine_area.name as before,
    null as after
from followed_medicine
inner join medicine_area on followed_medicine.earlier_medicine_id = medicine_area.medicine_id
anti join medicine_area as kept_area
    on
        followed_medicine.medicine_id = kept_area.medicine_id
        and medicine_area.folded_name = kept_area.folded_name
union all
select distinct
    next_release_id as release_id,
    'warning gone' as kind,
    concat_ws(
        ' ', drug_alias, warning_type, cast(warning_year as varchar), warning_country, warning_class
    ) as record,
    warning_type as before,
    null as after
from lost_warning
