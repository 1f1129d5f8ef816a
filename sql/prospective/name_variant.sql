-- Title:   Variants of a name
-- Result:  At the freeze
-- Formula: predicted drugs, or diseases, of one slate whose names have the same words in any order
--          or the same letters and numbers; marks, accents, the salts of drugs, and the plurals,
--          possessives and Roman numerals of diseases make no difference
-- Units:   names as text, and the sorted words; the entities stay separate in every metric
-- Grain:   slate_id, entity_kind, name_stem
with slate_entity as (
    select distinct
        prediction.slate_id,
        'drug' as entity_kind,
        drug_id as entity_id,
        drug.name
    from prediction
    inner join drug using (drug_id)
    union all
    select distinct
        prediction.slate_id,
        'disease' as entity_kind,
        disease_id as entity_id,
        disease.name
    from prediction
    inner join disease using (disease_id)
),

spelled_name as (
    select distinct
        entity_kind,
        name,
        translate(
            replace(
                replace(
                    replace(replace(lower(name), 'α', ' alpha '), 'β', ' beta '), 'γ', ' gamma '
                ),
                'δ',
                ' delta '
            ),
            'àáâãäåāăąçćčďèéêëēęěìíîïīłñńňòóôõöøōřśšťùúûüūůýÿźżž’‘ʼ´`′',
            'aaaaaaaaacccdeeeeeeeiiiiilnnnooooooorsstuuuuuuyyzzz'''''''''''''
        ) as spelled
    from slate_entity
),

salt as (
    select list(word) as salts
    from match_word
    where entity_kind = 'drug' and usage = 'salt'
),

split_name as (
    select
        spelled_name.entity_kind,
        spelled_name.name,
        salt.salts,
        ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'] as numerals,
        string_split(
            trim(
                regexp_replace(
                    replace(
                        if(
                            spelled_name.entity_kind = 'disease',
                            regexp_replace(spelled_name.spelled, '''s\b', '', 'g'),
                            spelled_name.spelled
                        ),
                        '''',
                        ''
                    ),
                    '[^\p{L}\p{N}]+',
                    ' ',
                    'g'
                )
            ),
            ' '
        ) as given,
        trim(regexp_replace(spelled_name.spelled, '[^0-9]+', ' ', 'g')) as numbers
    from spelled_name
    cross join salt
),

-- A name of salts alone, such as sodium chloride, keeps them.
stemmed_name as (
    select
        entity_kind,
        name,
        if(
            entity_kind = 'drug',
            list_filter(given, lambda word: not list_contains(salts, word)),
            list_transform(
                given,
                lambda word: case
                    when list_contains(numerals, word)
                        then cast(list_position(numerals, word) as varchar)
                    when
                        length(word) <= 3
                        or regexp_matches(word, '[0-9]|ss$|us$|is$')
                        or not regexp_matches(word, 's$')
                        then word
                    when length(word) > 5 and regexp_matches(word, 'ies$')
                        then substr(word, 1, length(word) - 3) || 'y'
                    else substr(word, 1, length(word) - 1)
                end
            )
        ) as rewritten,
        if(array_to_string(rewritten, '') = '', given, rewritten) as words,
        array_to_string(list_sort(words), ' ') as sorted_words,
        concat_ws(' ', array_to_string(words, ''), numbers) as joined_words
    from split_name
),

stemmed_entity as (
    select
        slate_entity.*,
        stemmed_name.sorted_words,
        min(stemmed_name.sorted_words) over (
            partition by slate_entity.slate_id, entity_kind, stemmed_name.joined_words
        ) as joined_stem
    from slate_entity
    inner join stemmed_name using (entity_kind, name)
),

-- Names that share their letters with one that has the same words are one, too.
grouped_entity as (
    select
        *,
        min(joined_stem) over (partition by slate_id, entity_kind, sorted_words) as name_stem
    from stemmed_entity
)

select
    slate_id,
    entity_kind,
    name_stem,
    count(*) as n_names,
    string_agg(name, '; ' order by entity_id) as names
from grouped_entity
group by slate_id, entity_kind, name_stem
having count(*) > 1 and name_stem <> ''
