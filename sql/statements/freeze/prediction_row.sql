-- Title:      The best candidates of each disease, ranked, with what was known of each
-- Reads:      candidate, entity_tie_name, labeled_pair, pair_known_phase
-- Creates:    prediction_row
-- Note:       The lowest score that can reach the top k of each disease is found first: the engine
--             keeps k scores per disease, and only candidates from that score up are ranked. Equal
--             scores are in the order of the MD5 of the folded names of disease and drug.
--             pair_known_phase has rows of the slate to be frozen alone; with novel_only its known
--             pairs are left out before anything is ranked.
with left_out_pair as (
    select
        disease_id,
        drug_id
    from pair_known_phase
    where is_known and cast(:novel_only as boolean)
),

lowest as (
    select
        disease_id,
        list_min(max(candidate.score, :top_k)) as lowest_score
    from candidate
    anti join left_out_pair using (disease_id, drug_id)
    where
        candidate.candidate_set_id = :candidate_set_id
        and (cast(:min_score as double) is null or candidate.score >= cast(:min_score as double))
        and (:every_disease or disease_id in (select unnest(cast(:diseases as integer[]))))
    group by disease_id
),

-- Few of all candidates, whose names alone are looked up.
contender as materialized (
    select
        candidate.disease_id,
        candidate.drug_id,
        candidate.score
    from candidate
    inner join lowest using (disease_id)
    anti join left_out_pair
        on
            candidate.disease_id = left_out_pair.disease_id
            and candidate.drug_id = left_out_pair.drug_id
    where
        candidate.candidate_set_id = :candidate_set_id
        and candidate.score >= lowest.lowest_score
),

named_pair as (
    select
        contender.*,
        coalesce(md5(concat(disease_name.folded_name, chr(10), drug_name.folded_name)), '')
            as tie_order
    from contender
    left join entity_tie_name as disease_name
        on
            disease_name.entity_kind = 'disease'
            and contender.disease_id = disease_name.entity_id
            and disease_name.named_until is null
    left join entity_tie_name as drug_name
        on
            drug_name.entity_kind = 'drug'
            and contender.drug_id = drug_name.entity_id
            and drug_name.named_until is null
),

ranked_pair as (
    select
        disease_id,
        drug_id,
        score,
        row_number() over (
            partition by disease_id order by score desc, tie_order asc, drug_id asc
        ) as rank
    from named_pair
)

select
    ranked_pair.disease_id,
    ranked_pair.drug_id,
    ranked_pair.score,
    ranked_pair.rank,
    labeled_pair.label as known_label,
    coalesce(
        labeled_pair.max_phase, if(labeled_pair.label > 0, labeled_pair.label, null)
    ) as known_max_phase,
    labeled_pair.approval_year as first_approval_year,
    coalesce(pair_known_phase.known_phase, 0) as known_phase,
    coalesce(pair_known_phase.is_known, false) as is_known,
    coalesce(pair_known_phase.is_approved, false) as is_approved
from ranked_pair
left join labeled_pair
    on
        ranked_pair.disease_id = labeled_pair.disease_id
        and ranked_pair.drug_id = labeled_pair.drug_id
        and labeled_pair.label_set_id = :label_set_id
left join pair_known_phase
    on
        ranked_pair.disease_id = pair_known_phase.disease_id
        and ranked_pair.drug_id = pair_known_phase.drug_id
where ranked_pair.rank <= :top_k
