-- Title:   Words that normalisation leaves out, and names too common to be found within a text
-- Formula: salts and fillers (forms, routes, release, dosing, units and the like) are left out of a
--          name; a word of any list but guards is no whole-word mention; a mention next to a
--          guard is none: 'anti' before, 'receptor' after; no disease is the head of a text after
--          a guard just before it, or an earlier one
-- Units:   words in lower case; usage is salt, filler, common, before, after or earlier
-- Grain:   entity_kind, usage, word
select
    'disease' as entity_kind,
    'filler' as usage,
    unnest(
        string_split(
            'cavity in mellitus of the with',
            ' '
        )
    ) as word
union all
select
    'disease' as entity_kind,
    'before' as usage,
    unnest(
        string_split(
            'and anti benign healthy no non not or post pre pseudo secondary suspected',
            ' '
        )
    ) as word
union all
select
    'disease' as entity_kind,
    'earlier' as usage,
    unnest(
        string_split(
            'after against at by detection due during following for from history in like of on '
            || 'prevention risk screening than to undergoing versus vs without with',
            ' '
        )
    ) as word
union all
select
    'drug' as entity_kind,
    'salt' as usage,
    unnest(
        string_split(
            'acetate alafenamide anhydrous arginine axetil benzoate besilate besylate '
            || 'bisulfate bisulphate bitartrate bromide calcium camsylate caproate '
            || 'carbonate chloride cilexetil citrate cypionate decanoate diacetate '
            || 'dicitrate dihydrate dihydrochloride dimaleate dimesylate dinitrate '
            || 'diphosphate dipivoxil dipropionate disodium disoproxil ditosylate '
            || 'edisylate embonate enanthate esylate etexilate fumarate furoate gluconate '
            || 'hbr hcl hemifumarate hemihydrate hemisuccinate hexetil hyclate hydrate '
            || 'hydrobromide hydrochloride hydroxide iodide isethionate lactate lysine '
            || 'magnesium malate maleate marboxil medoxomil meglumine mesilate mesylate '
            || 'mofetil monohydrate monohydrochloride napsylate nitrate oxalate palmitate '
            || 'pamoate phosphate pivalate pivoxil potassium propionate proxetil '
            || 'salicylate sesquihydrate sodium stearate succinate sulfate sulphate '
            || 'tartrate tosilate tosylate trifluoroacetate trihydrate trometamol '
            || 'tromethamine valerate xinafoate zinc',
            ' '
        )
    ) as word
union all
select
    'drug' as entity_kind,
    'filler' as usage,
    unnest(
        string_split(
            'a accuhaler acting active adjuvant aerosol ampoule an and arm as at '
            || 'autoinjector bid biweekly bolus bp brand buccal by cap caplet caps capsule '
            || 'capsules chewable coated combination combined commercial comparator '
            || 'concentrate concurrent consolidation continuous controlled cr cream cycle '
            || 'cycles daily day days delayed depot diskus dispersible dosage dose doses '
            || 'dosing dpi dr drop drops drug effervescent elixir ellipta emulsion '
            || 'encapsulated enteric er escalating escalation every experimental extended eye '
            || 'fast fdc film fixed foam for formulated formulation from gel generic granule '
            || 'granules group handihaler hfa high hour hours human im immediate implant in '
            || 'induction infused infusion infusions inhalation inhaled inhaler injectable '
            || 'injection injections inn intermediate intermittent intraarterial '
            || 'intracavernosal intradermal intramuscular intramuscularly intranasal '
            || 'intraperitoneal intrathecal intrathecally intratumoral intravenous '
            || 'intravenously intravesical intravitreal investigational ir it iu iv kg kit la '
            || 'label liposomal liposome liposomes liquid loading long lotion low lozenge '
            || 'lyophilized maintenance marketed mcg mdi medication medicine metronomic mg '
            || 'micronized microsphere microspheres ml modified monotherapy month monthly '
            || 'months mr multiple nanoparticle nanoparticles nanoparticulate nasal nebules '
            || 'nebulized nebulizer neoadjuvant of ointment once open ophthalmic or oral '
            || 'orally orodispersible otic patch patches pellet pellets pen per po powder '
            || 'powders prefilled product prolonged q2w q3w q4w qd qhs qid recombinant rectal '
            || 'reference release released respimat retard sc sequential single slow solution '
            || 'spray sr standard study subcutaneous subcutaneously sublingual subq '
            || 'suppository suspension sustained syringe syrup tab tablet tablets tabs test '
            || 'the therapy tid titrated titration to topical topically transdermal treatment '
            || 'turbohaler turbuhaler twice ug unspecified usp vaginal vial vials week weekly '
            || 'weeks xl xr',
            ' '
        )
    ) as word
union all
select
    'drug' as entity_kind,
    'common' as usage,
    unnest(
        string_split(
            'ace acid advance aid aids air albumin alcohol androgen antibody antigen ash '
            || 'atp balance base bicarbonate blood bovine cannabis carbon cat cellulose cement '
            || 'charcoal chemotherapy chicken chlorine clay clear code coffee cold collagen '
            || 'combo control copper corn dextrose diet dna dog dust egg elect enhance enzyme '
            || 'estrogen exercise fat fish fluorine focus followed food force garlic gas '
            || 'gelatin ginger ginseng globulin glucose glycerin gold grass heat helium honey '
            || 'hormone horse hydrogen ice image immunoglobulin impact insulin interferon '
            || 'interleukin iodine iron lactose life light link map milk mineral mold mouse '
            || 'nicotine nitrogen oil optimal oxygen pain pal peanut peptide pig placebo '
            || 'plasma plus pollen progestin protect protein radiation react regimen relief '
            || 'rest rice rna saline salt sand select sensor serum shrimp silver sleep smart '
            || 'soap solvent soy starch steroid stress sucrose sugar sulfur talc target tea '
            || 'then time tobacco trace vaccine vehicle versus vitamin vitamins vs water wax '
            || 'wheat yeast',
            ' '
        )
    ) as word
union all
select
    'drug' as entity_kind,
    'before' as usage,
    unnest(
        string_split(
            'anti cis deoxy ethyl hydroxy iso methyl no non nor placebo trans without',
            ' '
        )
    ) as word
union all
select
    'drug' as entity_kind,
    'after' as usage,
    unnest(
        string_split(
            'agonist agonists analog analogs analogue analogues antagonist antagonists '
            || 'antibodies antibody blocker blockers deficiency derivative derivatives ester '
            || 'esters free inhibitor inhibitors level levels naive receptor receptors '
            || 'resistant',
            ' '
        )
    ) as word
