-- Title:      The words of each name and part of a text, spelled one way, in the forms compared
-- Reads:      bearer_name, text_part
-- Creates:    spelled_text
-- Parameters: none
-- Note:       Form 'key' has no amounts (drugs: a number with its unit, never a bare digit) or tags
--             (diseases: NOS and the like); 'inverted' is B A of a drug's name A, B; 'core' lacks
--             the qualifiers of a disease as well; 'spoken' has every word of a drug's name.
with keyed as (
    select
        entity_kind,
        plain,
        bool_or(is_name) as is_name,
        not bool_and(is_name) as is_part
    from (
        select distinct
            entity_kind,
            plain,
            true as is_name
        from bearer_name
        union all
        select distinct
            entity_kind,
            part as plain,
            false as is_name
        from text_part
    )
    group by entity_kind, plain
),

greek as (
    select
        entity_kind,
        plain,
        is_name,
        is_part,
        case
            when regexp_matches(plain, '[αβγδκωµ'']')
                then regexp_replace(
                    replace(
                        replace(
                            replace(
                                replace(
                                    replace(
                                        replace(replace(plain, 'α', ' alpha '), 'β', ' beta '),
                                        'γ',
                                        ' gamma '
                                    ),
                                    'δ',
                                    ' delta '
                                ),
                                'κ',
                                ' kappa '
                            ),
                            'ω',
                            ' omega '
                        ),
                        'µ',
                        'μ'
                    ),
                    '''s\b',
                    '',
                    'g'
                )
            else plain
        end as spelled
    from keyed
),

american as (
    select
        entity_kind,
        plain,
        is_name,
        is_part,
        case
            when regexp_matches(spelled, 'aem|oe|tumour|paed|rrhoea')
                then replace(
                    replace(
                        replace(
                            regexp_replace(
                                regexp_replace(
                                    regexp_replace(spelled, '\bhaem', 'hem', 'g'),
                                    '\boe(soph|dem|str)',
                                    'e\1',
                                    'g'
                                ),
                                '\bpaed',
                                'ped',
                                'g'
                            ),
                            'aemi',
                            'emi'
                        ),
                        'tumour',
                        'tumor'
                    ),
                    'rrhoea',
                    'rrhea'
                )
            else spelled
        end as spelled
    from greek
),

cleaned as (
    select
        entity_kind,
        plain,
        'key' as form,
        case
            when entity_kind = 'disease'
                then regexp_replace(
                    spelled,
                    '\(?\b(not otherwise specified|nos|unspecified|unspec)\b\)?|\((disorder|finding|morphologic abnormality|disease)\)|\bajcc v\d+\b',
                    ' ',
                    'g'
                )
            when regexp_matches(spelled, '[0-9]')
                then regexp_replace(
                    spelled,
                    '(^|[^a-z0-9])\d[\d.,]*(\s*[-/x+]\s*\d[\d.,]*)*\s*-?(mgs?|milligrams?|mcgs?|micrograms?|μg|ug|ng|g|gm|grams?|kg|mls?|l|cc|dl|iu|miu|mu|units?|u|mmol|meq|mci|mbq|gy|cgy|mm|ppm|%)(\s*/\s*(kg|m\^?2|m²|day|d|h|hr|hour|week|wk|ml|dl|dose|min|sq\.?\s*m|actuation|puff))*($|[^a-z0-9])',
                    '\1 \6',
                    'g'
                )
            else spelled
        end as cleaned,
        is_part
    from american
    union all
    select
        entity_kind,
        plain,
        'spoken' as form,
        spelled as cleaned,
        is_part
    from american
    where entity_kind = 'drug'
    union all
    select
        entity_kind,
        plain,
        'inverted' as form,
        regexp_replace(spelled, '^([^,]+), *([^,]+)$', '\2 \1') as cleaned,
        is_part
    from american
    where entity_kind = 'drug' and is_name and regexp_full_match(spelled, '[^,0-9]+, *[^,]+')
),

core as (
    select
        entity_kind,
        plain,
        cleaned,
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        cleaned,
                        '\b(clinical |pathologic |prognostic )?(stage|stages|grade|grades)\s*(0|[1-4]|i{1,3}|iv)[abcd]?\d?(\s*(,|-|/|and|or|to)+\s*(stage|grade)?\s*([1-4]|i{1,3}|iv)[abcd]?\d?)*\b',
                        ' ',
                        'g'
                    ),
                    '\b(her-?2(/neu)?|estrogen( receptor)?|progesterone( receptor)?|hormone( receptor)?|er|pr|hr|triple|egfr|alk|braf|kras|ras|ph|philadelphia chromosome|pd-?l1|cd20|cd30|cd33|brca|brca1|brca2)(\s*[-/ ]\s*)?(positive|negative|mutant|mutated|mutation|wild[- ]type|amplified|over-?expressing|rearranged|sensitive|receptive)\b',
                    ' ',
                    'g'
                ),
                '\b(very )?(high|low|intermediate|standard|average|poor|good|favou?rable|unfavou?rable)[- ](risk|grade|volume)\b',
                ' ',
                'g'
            ),
            '\b(recurrent|invasive|relapsed|relapsing|refractory|metastatic|advanced|locally|locoregional|localized|local|unresectable|resectable|resected|inoperable|operable|severe|moderate(ly)?|mild|newly[- ]diagnosed|untreated|previously|treated|pretreated|adult|childhood|pa?ediatric|adolescents?|elderly|child|children|early[- ]stage|late[- ]stage|end[- ]stage|early|late|onset|persistent|progressive|active|stable|symptomatic|asymptomatic|uncontrolled|(treatment|drug|therapy|hormone|castration|castrate|endocrine|platinum|cisplatin|steroid|imatinib|multidrug)[- ](resistant|refractory|naive|sensitive|independent)|resistant|postmenopausal|premenopausal|male|female|extensive|limited|disseminated|sporadic|familial|current|post[- ]transplant|to severe|in (relapse|remission|children|adults|adolescents)|with (and|or)? ?without .*)\b',
            ' ',
            'g'
        ) as core
    from cleaned
    where entity_kind = 'disease' and form = 'key' and is_part
)

select
    entity_kind,
    plain,
    form,
    regexp_extract_all(cleaned, '[a-z0-9]+') as words
from cleaned
union all
select
    entity_kind,
    plain,
    'core' as form,
    regexp_extract_all(core, '[a-z0-9]+') as words
from core
where core <> cleaned
