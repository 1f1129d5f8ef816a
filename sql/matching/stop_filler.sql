-- Title:   Words that give no reason for stopping a study
-- Formula: a list: that it was stopped, by whom and when, and what was looked at, not what it
--          showed
-- Units:   words in lower case, of three letters or more; shorter ones give no reason either
-- Grain:   word
select
    unnest(
        string_split(
            'about accordance accordingly administration administrative administratively '
            || 'advice advised after again all already also analyses analysis and any anymore '
            || 'applicable are author authority because been before began begin begun being '
            || 'board but cancel cancelation canceled cancellation cancelled cancelling cease '
            || 'ceased chair choice chose chosen client clinical close closed closing closure '
            || 'collaborator collaborators committee company companys completed conduct '
            || 'conducted continue continued corporate corporation currently data date decide '
            || 'decided decides deciding decision decisions delay delayed department did '
            || 'director discontinuation discontinue discontinued discontinuing discretion dmc '
            || 'does done dsmb dsmc due during early elected end ended ending enrolling ethics '
            || 'ever existing fda final findings first following for from full fully funder '
            || 'further future given going group had halt halted halting has have hold idmc '
            || 'idsmb inactivated inactive independent initially initiate initiated initiating '
            || 'initiation institution institutional instruction interim intermediate internal '
            || 'investigator investigators irb its itself known later long made make management '
            || 'manufacturer manufacturers medical midterm monitoring never none not now only '
            || 'open opened other our own part partial pause paused per permanent permanently '
            || 'pharma pharmaceutical phase physician planned postpone postponed postponement '
            || 'potentially pre preliminary premature prematurely primary principal prior '
            || 'proceed project protocol provided pursue pursued reason reasons recommendation '
            || 'recommendations recommended regulatory request requested requests research '
            || 'researcher researchers responsible result results resume resuming review '
            || 'specified sponsor sponsoring sponsors start started starting stated still stop '
            || 'stopped stopping studies study suspend suspended suspending suspension team '
            || 'temporarily temporary terminate terminated terminating termination terminations '
            || 'than that the their then there this time trial trials undergoing unknown until '
            || 'upon various voluntarily voluntary was were which will withdraw withdrawal '
            || 'withdrawals withdrawing withdrawn withdrew without yet with',
            ' '
        )
    ) as word
