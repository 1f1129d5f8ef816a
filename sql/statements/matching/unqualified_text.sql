-- Title:      Texts about diseases without their qualifiers: stage, status, risk, course, age, site
-- Reads:      text_part
-- Creates:    unqualified_text
-- Note:       What is left names something wider, so a match through it is a relation. Acute,
--             chronic, primary, secondary and a bare positive or negative are no qualifiers. A text
--             without qualifiers has no row. A carcinoma is a cancer, but not the other way round.
with distinct_part as (
    select distinct part
    from text_part
    where entity_kind = 'disease' and place <> 'head'
),

unqualified as (
    select
        part as plain,
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        part,
                        '\b(clinical |pathologic |prognostic )?(stage|stages|grade|'
                        || 'grades)\s*(0|[1-4]|i{1,3}|iv)[abcd]?\d?(\s*(,|-|/|and|or|'
                        || 'to)+\s*(stage|grade)?\s*([1-4]|i{1,3}|iv)[abcd]?\d?)*\b',
                        ' ',
                        'g'
                    ),
                    '\b(her-?2(/neu)?|estrogen( receptor)?|progesterone( receptor)?|'
                    || 'hormone( receptor)?|er|pr|hr|triple|egfr|alk|braf|kras|ras|ph|'
                    || 'philadelphia chromosome|pd-?l1|cd20|cd30|cd33|brca|brca1|'
                    || 'brca2)(\s*[-/ ]\s*)?(positive|negative|mutant|mutated|mutation|'
                    || 'wild[- ]type|amplified|over-?expressing|rearranged|sensitive|'
                    || 'receptive)\b',
                    ' ',
                    'g'
                ),
                '\b(very )?(high|low|intermediate|standard|average|poor|good|'
                || 'favou?rable|unfavou?rable)[- ](risk|grade|volume)\b',
                ' ',
                'g'
            ),
            '\b(recurrent|invasive|relapsed|relapsing|refractory|metastatic|'
            || 'advanced|locally|locoregional|localized|local|unresectable|'
            || 'resectable|resected|inoperable|operable|severe|moderate(ly)?|mild|'
            || 'newly[- ]diagnosed|untreated|previously|treated|pretreated|adult|'
            || 'childhood|pa?ediatric|adolescents?|elderly|child|children|'
            || 'early[- ]stage|late[- ]stage|end[- ]stage|early|late|onset|'
            || 'persistent|progressive|active|stable|symptomatic|asymptomatic|'
            || 'uncontrolled|(treatment|drug|therapy|hormone|castration|castrate|'
            || 'endocrine|platinum|cisplatin|steroid|imatinib|'
            || 'multidrug)[- ](resistant|refractory|naive|sensitive|independent)|'
            || 'resistant|(post|pre)[- ]?menopausal|male|female|extensive|'
            || 'limited|disseminated|sporadic|familial|current|post[- ]transplant|'
            || 'left|right|bilateral|(knee|hip|hand|wrist|finger|thumb|ankle|foot|'
            || 'shoulder|elbow)s?( joints?)?|skin|cutaneous|(first|second|third)[- ]line|'
            || 'to severe|in (relapse|remission|children|adults|adolescents)|'
            || 'with (and|or)? ?without .*)\b',
            ' ',
            'g'
        ) as unqualified
    from distinct_part
)

select
    plain,
    unqualified
from unqualified
where unqualified <> plain
union all
select
    plain,
    regexp_replace(unqualified, '\b(adeno)?carcinoma', 'cancer') as unqualified
from unqualified
where regexp_matches(unqualified, '\b(adeno)?carcinoma')
