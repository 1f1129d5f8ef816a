-- Title:   Candidate hits that count, and how much
-- Formula: candidates that are hits, or failed, by each hit_rule, each 1; by the rule 'information'
--          log2((n + 1) / (m + 1)) / its mean over those hits: m drugs are known for the disease,
--          and n for the one of fewest known drugs among broader diseases that the same record made
--          a hit of the drug, else n are all drugs with a known disease
-- Units:   weight 1 = a hit, or one of mean information; breadth_class is near_class by the rule of
--          class near-known; record is the source and record of the
--          first outcome that makes it one, NULL where that has none
-- Grain:   slate_id, rule_number, disease_id, drug_id
-- Stored:  evidence
-- Note:    where no hit has information, the rule 'information' counts none
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with hit as materialized (
    select
        rule.slate_id,
        rule.rule_number,
        rule.rule_kind = 'information' as is_weighted,
        hit.disease_id,
        hit.drug_id,
        if(rule.nearness = 'near-known', hit.near_class, hit.breadth_class) as breadth_class,
        if(rule.rule_kind = 'failure', hit.first_failure_record, hit.first_record) as record
    from hit_rule as rule
    inner join candidate_hit as hit using (slate_id, evidence_window)
    left join pair_study_setting as changed
        on
            rule.slate_id = changed.slate_id
            and hit.disease_id = changed.disease_id
            and hit.drug_id = changed.drug_id
            and rule.study_setting = changed.study_setting
    where
        hit.study_setting = coalesce(changed.study_setting, 'plan')
        and if(rule.rule_kind = 'failure', hit.has_failed, hit.is_hit)
        and rule.rule_kind <> 'unlabeled'
        and (rule.population = 'all' or hit.nearness <> 'known')
        and (rule.rule_kind <> 'with a date' or hit.is_dated_hit)
        and coalesce(rule.nearness = hit.nearness, true)
        and coalesce(rule.strength >= hit.match_strength, true)
        and coalesce(rule.until_date >= hit.first_event_date, true)
    union all by name
    select
        rule.slate_id,
        rule.rule_number,
        false as is_weighted,
        gap.disease_id,
        gap.drug_id,
        gap.breadth_class
    from hit_rule as rule
    inner join class_candidate as gap using (slate_id)
    where rule.rule_kind = 'unlabeled' and gap.is_learned_later
),

broader_hit as (
    select
        hit.slate_id,
        hit.disease_id,
        hit.drug_id,
        min(broader.n_known_drugs) as n_known_drugs
    from hit
    inner join broader_disease
        on
            hit.slate_id = broader_disease.slate_id
            and hit.disease_id = broader_disease.disease_id
    inner join hit as other
        on
            hit.slate_id = other.slate_id
            and hit.rule_number = other.rule_number
            and hit.drug_id = other.drug_id
            and hit.record = other.record
            and broader_disease.broader_disease_id = other.disease_id
    inner join disease_information as broader
        on other.slate_id = broader.slate_id and other.disease_id = broader.disease_id
    where hit.is_weighted
    group by hit.slate_id, hit.disease_id, hit.drug_id
),

informative as (
    select
        hit.*,
        log2(
            (coalesce(broader_hit.n_known_drugs, disease_information.n_drugs) + 1)
            / (disease_information.n_known_drugs + 1)
        ) as information
    from hit
    inner join disease_information using (slate_id, disease_id)
    left join broader_hit using (slate_id, disease_id, drug_id)
    where hit.is_weighted
),

compared as (
    select
        *,
        cast(sum(cast(information as decimal(38, 18))) over (partition by slate_id) as double)
        / count(*) over (partition by slate_id) as mean_information
    from informative
)

select
    slate_id,
    rule_number,
    disease_id,
    drug_id,
    hit.breadth_class,
    coalesce(compared.information / compared.mean_information, 1) as weight,
    hit.record
from hit
left join compared using (slate_id, rule_number, disease_id, drug_id)
where not hit.is_weighted or compared.mean_information > 0
