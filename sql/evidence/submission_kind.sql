-- Title:   What the submissions of the FDA are
-- Formula: the kind of each version of a submission, by its status, the type of its application,
--          its own type and the FDA's class: what it approves, if anything
-- Units:   meaning is approval (of a new molecular entity or a new use), uncertain (may be one: the
--          class does not say) or other; a class of several types has the weightiest as its kind
-- Grain:   approval_id
with classed_submission as (
    select
        approval_id,
        submission_type,
        submission_status,
        case
            when application_number like 'ANDA%' then 'ANDA'
            when application_number like 'NDA%' then 'NDA'
            when application_number like 'BLA%' then 'BLA'
        end as application_type,
        upper(trim(submission_class)) as class,
        concat(
            ' ', replace(replace(upper(submission_class), '/', ' '), '-', ' '), ' '
        ) as class_words
    from approval
),

-- The FDA writes TYPE 1/4 for types 1 and 4, and TYPE 9- BLA.
typed_submission as (
    select
        approval_id,
        application_type,
        case
            when submission_status = 'TA' then 'tentative approval'
            when coalesce(submission_status, '') <> 'AP' then 'no approval'
            when application_type = 'ANDA' then 'generic'
            when class = 'LABELING' then 'labeling'
            when class like 'MANUF%' then 'manufacturing'
            when class = 'BIOEQUIV' then 'bioequivalence'
            when class = 'REMS' then 'risk management'
            when submission_type = 'SUPPL' and class = 'EFFICACY' then 'efficacy supplement'
            when submission_type = 'SUPPL' then 'supplement of unknown class'
            when submission_type <> 'ORIG' then 'submission of unknown type'
            when class = 'EFFICACY' then 'efficacy original'
            when class = 'MEDGAS' then 'medical gas'
            when class not like 'TYPE%' or class is null then 'original of unknown class'
            when class_words like '% 1 %' then 'new molecular entity'
            when class_words like '% 6 %' then 'new indication'
            when class_words like '% 9 %' then 'new indication'
            when class_words like '% 10 %' then 'new indication'
            when class_words like '% 7 %' then 'marketed before without approval'
            when class_words like '% 2 %' then 'new active ingredient'
            when class_words like '% 4 %' then 'new combination'
            when class_words like '% 3 %' then 'new dosage form'
            when class_words like '% 5 %' then 'new formulation or manufacturer'
            when class_words like '% 8 %' then 'switch to over the counter'
            else 'original of unknown class'
        end as submission_kind
    from classed_submission
)

select
    approval_id,
    application_type,
    submission_kind,
    case
        when
            application_type in ('NDA', 'BLA')
            and submission_kind in (
                'new molecular entity',
                'new indication',
                'efficacy original',
                'efficacy supplement'
            )
            then 'approval'
        when
            submission_kind in (
                'tentative approval',
                'no approval',
                'generic',
                'labeling',
                'manufacturing',
                'bioequivalence',
                'risk management',
                'new dosage form',
                'new formulation or manufacturer',
                'switch to over the counter'
            )
            then 'other'
        else 'uncertain'
    end as meaning
from typed_submission
