-- Title:   FDA actions that approve a drug
-- Formula: the versions of an original or efficacy submission whose status is approved, each
--          joined to the drugs its application's products name
-- Source:  METRICS section 2, fda_approved
-- Units:   name is folded: a product's, or its ingredient where it has no other; is_current
--          where no later release changed the submission
-- Grain:   approval_id, name
with product_name as (
    select
        application_number,
        folded_drug_name as name
    from approval_product
    where folded_drug_name is not null
    union
    select
        approval_product.application_number,
        product_ingredient.folded_name as name
    from approval_product
    inner join product_ingredient using (product_id)
    where approval_product.n_ingredients = 1
),

followed_approval as (
    select
        approval.approval_id,
        approval.application_number,
        approval.submission_type,
        approval.submission_number,
        approval.submission_status,
        approval.submission_class,
        approval.status_date,
        release_order.release_id,
        release_order.position,
        release_order.position = max(release_order.position) over (
            partition by
                approval.application_number, approval.submission_type, approval.submission_number
        ) as is_current
    from approval
    inner join release_order using (release_id)
)

select
    followed_approval.approval_id,
    product_name.name,
    followed_approval.application_number,
    followed_approval.submission_type,
    followed_approval.submission_number,
    followed_approval.status_date,
    followed_approval.release_id,
    followed_approval.position,
    followed_approval.is_current
from followed_approval
inner join product_name using (application_number)
where
    followed_approval.submission_status = 'AP'
    and followed_approval.status_date is not null
    and (
        followed_approval.submission_type = 'ORIG'
        or (
            followed_approval.submission_type = 'SUPPL'
            and followed_approval.submission_class = 'EFFICACY'
        )
    )
