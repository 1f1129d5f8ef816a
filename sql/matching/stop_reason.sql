-- Title:   Why studies were stopped
-- Result:  Evidence and matching
-- Formula: the text of the registry is folded, what it denies is taken out, and the first pattern
--          of stop_pattern that fits gives the reason; without one, unknown if all words are in
--          stop_filler, else other
-- Units:   texts of studies that name a drug and a disease; stop_reason is efficacy, safety, other
--          or unknown; pattern is the one that decided, NULL if none did
-- Grain:   why_stopped
with stop_text as (
    select distinct trial.why_stopped
    from trial
    semi join trial_pair_version using (trial_id)
    where trial.why_stopped is not null
),

spelled_text as (
    -- Entities of HTML, typographic quotes, and "n't", before dashes and slashes become blanks
    -- and a committee that monitors safety loses the word.
    select
        why_stopped,
        replace(
            regexp_replace(
                regexp_replace(
                    replace(replace(lower(why_stopped), '&amp;', ' and '), '&nbsp;', ' '),
                    '&(#0?39|#x27|apos|rsquo);|[\x{2018}\x{2019}]',
                    '''',
                    'g'
                ),
                '&[a-z]+;|&#[0-9a-fx]+;',
                ' ',
                'g'
            ),
            'n''t',
            ' not'
        ) as spelled
    from stop_text
),

folded_text as (
    select
        why_stopped,
        regexp_replace(
            regexp_replace(
                replace(replace(spelled, '''s ', ' '), '''', ''),
                '[\s\x{00a0}\x{2010}-\x{2015}\x{2212}/_"\x{201c}\x{201d}-]+',
                ' ',
                'g'
            ),
            '\b(data )?(and |& )?(safety )?(and |& )?monitoring (board|committee)',
            'dsmb',
            'g'
        ) as folded
    from spelled_text
),

-- What a text denies goes, up to the end of its clause or to what it says instead.
stated_text as (
    select
        why_stopped,
        trim(
            regexp_replace(
                folded,
                -- Safety concerns that "were not the reason", and what is "non-safety related".
                '\bnon safety( related| relevant)?( \w+)?|\bsafety[^.;()]{0,50} (is|was|were|are|'
                || 'did|has|have|had) not (a |an |the |been |be |part )*(reason|concern|'
                || 'issue|factor|cause|identified|contribut\w+|raised|affect\w*|involved|basis|'
                || 'compromised|impacted)[^.;()]*'
                || '|('
                -- "Not due to", "unrelated to", "other than" safety or efficacy.
                || '\b(not|nor|neither|never|nothing|unrelated|irrespective|regardless|independent|'
                || 'other than|rather than) (directly |any |in any way |being |was |is |in |been |'
                || 'primarily |be |the |a |decision |made |taken |terminated |stopped |closed |'
                || 'discontinued |withdrawn |suspended |halted |ended |to |do |had |has |have )*'
                || '(due to|because of|related|linked|associated|attribut\w+|caused|driven|'
                || 'prompted|motivated|based (up)?on|result|consequence|response|reflect\w*|'
                || 'concern\w*|involv\w+|impact\w*|affect\w*|for|of|to|about|from|with|'
                || 'compromis\w+)\b[^.;()]{0,60}?\b(safety|efficacy|tolerability|toxicit(y|ies)|'
                || 'adverse|side effects?|benefit risk|risk benefit|effectiveness)\b'
                -- "No safety issues", "not a safety decision", "without toxicity".
                || '|\b((no|without|any|absence of|nor|neither) (\w+ ){0,4}?|not (a |an |any |due |'
                || 'the |for )*)(safety|tolerability|toxicit(y|ies)|adverse|side effects?|benefit '
                || 'risk|risk benefit|s?aes?|dlts?|deaths?)\b'
                -- "No efficacy issues"; but "no efficacy" states a reason.
                || '|\b(no|without|any|not|neither)( \w+){0,3} (efficacy|effectiveness)( \w+){0,3} '
                || '(concerns?|issues?|reasons?|problems?)\b'
                || ').*?(\bbut\b|\brather\b|\bhowever\b|[.;()]|$)',
                ' ; ',
                'g'
            ),
            ' .,;:()!*'
        ) as stated
    from folded_text
),

-- A pattern is compiled for each text it is compared with: the stem leaves few texts to each.
deciding_pattern as (
    select
        stated_text.why_stopped,
        stop_pattern.stop_reason,
        stop_pattern.pattern
    from stated_text
    inner join stop_pattern
        on
            if(
                contains(stated_text.stated, stop_pattern.stem),
                regexp_matches(stated_text.stated, stop_pattern.pattern),
                false
            )
    qualify
        row_number() over (
            partition by stated_text.why_stopped
            order by stop_pattern.priority, stop_pattern.pattern
        ) = 1
),

-- Texts with a word that may be a reason: not by whom, when and that a study was stopped.
telling_text as (
    select distinct stated_word.why_stopped
    from (
        select
            why_stopped,
            unnest(string_split(regexp_replace(stated, '[^a-z]+', ' ', 'g'), ' ')) as word
        from stated_text
    ) as stated_word
    left join stop_filler on stated_word.word = stop_filler.word
    where length(stated_word.word) > 2 and stop_filler.word is null
)

select
    stop_text.why_stopped,
    case
        when deciding_pattern.stop_reason is not null then deciding_pattern.stop_reason
        when telling_text.why_stopped is not null then 'other'
        else 'unknown'
    end as stop_reason,
    deciding_pattern.pattern
from stop_text
left join deciding_pattern on stop_text.why_stopped = deciding_pattern.why_stopped
left join telling_text on stop_text.why_stopped = telling_text.why_stopped
