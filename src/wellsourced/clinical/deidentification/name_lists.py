"""Words that are names of people, and names in medicine that are not of a patient."""

from wellsourced.text.lexicon import word_set

GIVEN_NAMES = word_set("""
    Aaron Abdul Adam Ahmed Aisha Alan Albert Alejandro Alexander Alexandra Ali Alice Alicia Alison Amanda Amelia Amy
    Ana Andrea Andrew Angela Anita Anna Anne Anthony Antonio Arthur Barbara Beatrice Benjamin Bernard Beth Betty Brandon
    Brenda Brian Bruce Carl Carla Carlos Carmen Carol Caroline Catherine Charles Charlotte Cheryl Chloe Christina
    Christine Christopher Claire Claudia Craig Cynthia Daniel Daniela David Deborah Denise Dennis Diana Diane Dmitri
    Donald Donna Dorothy Douglas Edward Eileen Elena Elizabeth Ella Ellen Emily Emma Eric Erica Ethan Eva Evelyn Fatima
    Felix Fiona Francesca Francis Frank Gary George Gerald Giulia Gloria Gregory Hannah Hans Harold Harry Hassan Heather
    Helen Henry Ian Ibrahim Ines Irene Isabel Isabella Ivan Jacob Jacqueline James Jane Janet Janice Jason Javier
    Jeffrey Jennifer Jeremy Jessica Joan Joanna Johanna John Jonathan Jorge Jose Joseph Joshua Juan Judith Judy Julia
    Julian Julie Karen Karin Katherine Kathleen Katie Kelly Kenneth Kevin Kimberly Klaus Larry Laura Lauren Leila
    Leonard Liam Linda Lisa Louise Lucas Lucia Lucy Luis Luke Magdalena Manuel Marcus Margaret Maria Marie Marilyn Mario
    Martha Martin Matthew Megan Mehmet Melissa Michael Michelle Miguel Miriam Mohamed Mohammed Monica Muhammad Nancy
    Naomi Natalie Natasha Nathan Nicholas Nicole Nina Noah Olga Oliver Olivia Omar Oscar Pablo Pamela Patricia Paula
    Pedro
    Peter Petra Philip Phillip Priya Rachel Rafael Ralph Raymond Rebecca Richard Robert Roberto Roger Ronald Rosa Ruth
    Ryan Samantha Samuel Sandra Sara Sarah Sean Sergio Sharon Shirley Simon Sofia Sophia Sophie Stefan Stephanie Stephen
    Steven Susan Svetlana Teresa Thomas Timothy Tina Tom Tomasz Tyler Valerie Vanessa Veronica Victoria Vincent Virginia
    Walter Wendy William Yusuf Zachary Zoe
""")
"""Given names that are hardly ever another English or medical word ("Mark", "Rose" and "April" are not here)."""

EPONYMS = word_set("""
    Bence Levey Bunnell Lown Ganong Mobitz Lancefield Bonnet Hoehn Yahr Graefe Truelove Witts Rey Osterrieth
    Sternberg Dindo Clavien Charlson Elixhauser Karnofsky Barthel Kussmaul Cheyne Biot Quincke Corrigan Musset
    Argyll Adie Bitot Brushfield Lisch Homan Homans Courvoisier Fothergill Carnett Markle Dunphy Boas Rokitansky
    Aschoff Asherman Nabothian Bartholin Skene Cowper Littre Peyer Paneth Kupffer Disse Henle Malpighi Hassall
    Leydig Sertoli Graaf Naboth Hegar Goodell Leopold Naegele Dalgarno Okazaki Sanger Edman Kjeldahl Folin Fehling
    Gowers Trömner Oppenheim Chaddock Kernig Brudzinski Lhermitte Uhthoff Hertwig Sequard Séquard Gubler Benedikt
    Wallenberg Dejerine Roussy Klüver Bucy Capgras Cotard Fregoli Ganser Lennox Gastaut Dravet Landau Kleffner
    Sydenham Weil Widal Mantoux Heaf Schick Casoni Frei Ghon Ranke Assmann Puhl Löwenstein Sabouraud Löffler
    Loeffler MacConkey Bordet Gengou Negri Councilman Guarnieri Döhle Dohle Cabot Pappenheimer Pelger Huët Huet
    Grünwald Wintrobe Westergren Neubauer Sysmex Ganz Allis Langenbeck Deaver Balfour Finochietto Bookwalter Veress
    Hasson DeBakey Metzenbaum Adson Halsted Redon Penrose Kehr Dobhoff Malecot Pezzer Tiemann Nelaton Scribner
    Brescia Cimino Quinton Shiley Portex Rüsch Rusch Magill Macintosh McCoy Ambu Laerdal Mapleson Ayre Draeger
    Dräger Evita Philips Siemens Zeiss Leica Olympus Pentax Storz Stryker Linde Linet Zoll Lifepak Fresenius Gambro
    Nipro Terumo Medtronic Biotronik Cordis Amplatzer Sebia Bruker Stedy Arjo Hoyer Invacare Sager Donway Ferno
    Steinmann Kirschner Ilizarov Denham Gigli Charnley Exeter Zweymüller Küntscher Girdlestone Akin Lapidus Böhler
    Boehler Gissane Danis Frykman Neer Rockwood Perthes Legg Calvé Calve Osgood Schlatter Sever Freiberg Köhler
    Kienböck Kienbock Preiser Panner Scheuermann Schmorl Risser Meyerding Modic Pfirrmann Tarlov Ficat Arlet
    Outerbridge Lysholm Tegner Oswestry Zung Yale Conners Vineland Bayley Wechsler Stroop Corsi Rorschach Hachinski
    Zarit Fugl Ashworth Tardieu Tinetti Rivermead Addenbrooke Hayling Luria Hochberg Benjamini Tukey Dunnett Scheffe
    Levene Wilk Kolmogorov Smirnov Fleiss Cronbach Youden Nelder Poisson Gauss Weibull Egger Begg Hosmer Lemeshow
    Schoenfeld DuBois Mosteller Mifflin Jeor Friedewald Bazett Fridericia Sokolow Vereckei Sgarbossa Wellens
""") | word_set("""
    Panton Valentine
    Kaplan Meier Sachs Fleischer Hippel Lindau McKusick Kaufman Fraumeni Li-Fraumeni Jakob Barre Barré Danlos
    Willi Schonlein
    Schönlein Stein Leventhal Klippel Trenaunay Sturge Weber Rendu Hand Schuller Langerhans Purkinje Schwann Golgi Nissl
    Lindau Jervell Lange Romano Ward Eisenmenger Ebstein Loeys Dietz Rett Angelman Sotos Apert Crouzon Treacher Usher
    Alport Fechtner Bernard Soulier Glanzmann Willebrand Castleman Burkitt Sezary Sézary Cowden Peutz Jeghers
    Gardner Turcot
    Erdheim Rosai Dorfman Kikuchi Evans Diamond Blackfan Fisher Miller Lambert Eaton Dandy Walker Arnold Budd
    Caroli Mirizzi
    Zellweger Refsum Krabbe Pompe Hurler Hunter Sanfilippo Morquio Leigh Kearns Sayre Leber Stargardt Best Coats Fuchs
    Sprague Dawley Wistar Han Bland Altman Cox Fisher Mann Whitney Wilcoxon Kruskal Wallis Pearson Spearman Cohen Mantel
    Haenszel Bonferroni Bayes Mendel Darwin Freud Piaget Pavlov Erikson Kohlberg Maslow Cochrane Delphi Likert Pasteur
    Petri Gram Ziehl Neelsen Giemsa Wright Papanicolaou Warburg Krebs Cori Michaelis Menten Frank Starling Bohr Haldane
    Valsalva Bernoulli Laplace Poiseuille Fick Nernst Hardy Weinberg Hill Bradford Koch Apgar Westley Waterlow
    Braden Norton
    Fazekas Mallampati Rinne Epley Hallpike Dix Trendelenburg Lachman Spurling Bristol Epworth Erasmus Allman
    Jaffe Simpson
    Doppler Holter Bruce Cockcroft Gault Schirmer Amsler Snellen Ishihara Goldmann Humphrey Landolt Glasgow Bishop
    Ranson
    Rockall Blatchford Centor Alvarado Child Pugh Killip Forrester Rutherford Fontaine Leriche Buerger Pancoast
    Hutchinson
    Boerhaave Mallory Weiss Dieulafoy Cameron Plummer Vinson Billroth Roux Nissen Hartmann Lichtenstein Bassini Kocher
    Pfannenstiel Bankart Latarjet Salter Harris Schatzker Garden Gartland Lauge Hansen Galeazzi Monteggia
    Jefferson Lisfranc
    Tönnis Kellgren Lawrence Zimmer Thompson Hickman Tenckhoff Sengstaken Blakemore Yankauer Guedel Miami Broselow Moro
    Ortolani Barlow Pavlik McRoberts Erb Klumpke Pinard Shirodkar Fitzpatrick Koebner Nikolsky Auspitz Mohs
    Breslow Clark
    Bosniak Couinaud Morrison Haller Bauhin Vater Treitz Douglas Meckel Monro Sylvian Galen Willis Luschka Magendie
    Marburg Lassa Coxsackie Norwalk Hendra Nipah Hantaan Verneuil Blumberg Basedow Hashimoto Biermer Horton Still
    Lasègue
    Boston Vienna Paris Kudo Goligher Forrest Prague Geneva Helsinki Rotterdam Atlanta Rome Milan Edinburgh Sydney
    Chicago
    Addison Alzheimer Babinski Barrett Bartter Behcet Behçet Bell Bennett Berger Bouchard Broca Brugada Budd Chagas
    Charcot Chiari Chvostek Colles Conn Coombs Cooper Creutzfeldt Crohn Cushing Doppler Down Duchenne Duke Ebola Ehlers
    Epstein Ewing Fabry Fallot Fanconi Fleischner Foley Framingham Friedreich Gaucher Gilbert Glasgow Gleason
    Goodpasture Graves Guillain Hashimoto Heberden Henoch Hirschsprung Hodgkin Horner Huntington Janeway Jones Kaplan
    Kaposi Kawasaki Kayser Klinefelter Koplik Korsakoff Lewy Lynch Lyme Marfan McBurney Meniere Ménière Murphy Niemann
    Noonan Osler Ottawa Paget Parkinson Peyronie Phalen Pick Pott Prader Ranson Raynaud Reiter Reye Romberg Ross Rovsing
    Sjogren Sjögren Stevens Still Swan Takayasu Tay Tinel Tourette Trousseau Turner Vincent Virchow Waldenstrom Wegener
    Wells Wernicke Whipple Williams Wilms Wilson Wolff Zenker Zollinger Marburg Zika Nile
""")
"""Names in those of diseases, signs, scores and operations: no patient's, unless a title or a label says so."""

NOT_NAMES = word_set("""
    Januar Februar März Mai Juni Juli Oktober Dezember Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
    Janvier Février Mars Avril Juin Juillet Août Septembre Octobre Novembre Décembre Lundi Mardi Mercredi Jeudi Vendredi
    Samedi Dimanche Enero Febrero Marzo Abril Mayo Junio Julio Septiembre Octubre Noviembre Diciembre Lunes Martes
    Miércoles Jueves Viernes Sábado Domingo Gennaio Febbraio Aprile Maggio Giugno Luglio Settembre Ottobre Dicembre
    Janeiro Fevereiro Março Maio Junho Julho Setembro Outubro Dezembro Maandag Dinsdag Woensdag Donderdag Vrijdag
    Maart Mei Maj Maman Mamá Papá Mamma Whit Von Van De Del Della Du Des Des Dei Dos Da Edta
    Kollege Kollegin Kollegen Colega Colegas Confrère Consœur Collega Collegae Colleagues DR MR MRS MS PROF
    Na Cl Ca Mg Am Pm Ok Nil Nad Pan The There These Those Then Than Be Been Being By As Up Out Off Over Under
    About After
    Before During Until Since While Because Due Per Via Vs Or But So Such Some Any More Most Less Each Both Other
    Another
    Case Caller Relationship Mother Ward Bed Room Unit Plan Notes Sex Gender Status Religion Occupation Tribe
    Language Tel
    Ref Report Result Results Test Head Neck Chest Abdomen Left Right Upper Lower Mr Mrs Ms Dr Prof Tab Cap Inj Syr
    Signed Seen Reviewed Discussed Referred Reported Thanks Thank Regards Cheers Hi Hello Hey Best Kind Many Yours
    Sincerely
    Google Siri Alexa Christmas Easter Ramadan Eid Diwali Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug
    Sep Sept
    Oct Nov Dec Today Tomorrow Yesterday Morning Evening Night Noon Karta Verbale Informe Brief Befund Compte Rendu Alta
    Male Female Man Woman Boy Girl Unknown None Yes No The This That He She It They We You His Her Patient Patients Not
    Alive Deceased Healthy Normal Negative Positive Denies Reports Has Had Was Is Are And Or With Without For From In
    On At Of To A An My Your Our Their If When What Which Who How Why Where Can Could Should Would Does Do Did Will May
    Asian African American Caucasian Hispanic Black White European Indian Chinese Japanese German French Spanish Type
    Rh Stage Grade Class Group HIV Age Aged Adult Child Infant Diabetes Cancer Asthma Hypertension Depression Vitamin
    Allergic Pregnant Currently Also Only Still Now Just Very Sorry Sir Madam Doctor Colleague Team All Chronic Acute
    Consultant Attending Father Mother Wife Husband Next Re Dear Home Address Phone Tel Mobile Email DOB MRN NHS SSN
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August September
    October November December Seen Diagnosis Admission Discharge Date Name Number Latin Native Pacific Middle Eastern
    Western British English Irish Jewish Muslim Christian Catholic Hindu Buddhist MD PhD RN FRCP GP
""")
"""Words that stand where a name may, and are none."""

COUNTRIES_AND_STATES = frozenset(
    {
        "North Carolina",
        "South Carolina",
        "North Dakota",
        "South Dakota",
        "New York State",
        "New Mexico",
        "New Hampshire",
    }
    | {
        "New Jersey",
        "West Virginia",
        "Rhode Island",
        "New Zealand",
        "South Africa",
        "Saudi Arabia",
        "Sri Lanka",
        "South Korea",
    }
    | {
        "United States",
        "United Kingdom",
        "Hong Kong",
        "Costa Rica",
        "Puerto Rico",
        "Czech Republic",
        "Northern Ireland",
    }
    | {
        "South America",
        "North America",
        "Latin America",
        "Central America",
        "Middle East",
        "British Columbia",
        "New South Wales",
    }
) | word_set("""
    USA UK US EU UAE Argentina Chile Colombia Peru Venezuela Cuba Jamaica Haiti Ecuador Bolivia Uruguay Paraguay
    Bangladesh
    Nepal Afghanistan Philippines Singapore Taiwan Korea Cambodia Laos Myanmar Mongolia Kazakhstan Uzbekistan
    Syria Lebanon
    Jordan Kuwait Qatar Oman Yemen Bahrain Palestine Morocco Algeria Tunisia Libya Sudan Ethiopia Somalia Eritrea Uganda
    Tanzania Rwanda Burundi Congo Cameroon Senegal Mali Niger Chad Angola Zambia Zimbabwe Malawi Mozambique
    Botswana Namibia
    Madagascar Malta Cyprus Iceland Finland Estonia Latvia Lithuania Belarus Czechia Slovakia Hungary Romania
    Bulgaria Serbia
    Croatia Slovenia Albania Macedonia Bosnia Montenegro Kosovo Moldova Armenia Azerbaijan Luxembourg Alabama Arkansas
    Connecticut Delaware Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts
    Mississippi
    Missouri Montana Nebraska Nevada Oklahoma Pennsylvania Tennessee Vermont Wisconsin Wyoming Ontario Quebec
    Alberta Manitoba
    Queensland Victoria Tasmania Punjab Gujarat Kerala Deutschland España Italia Polska Sverige Danmark Norge
    Nederland Suisse
    Schweiz Österreich Brasil México Belgique Ireland Antarctica Oceania Sahara Caribbean Mediterranean Amazon Atlantic
    Australia Austria Belgium Brazil Canada China Denmark Egypt England Finland France Germany Ghana Greece India
    Indonesia Iran Iraq Ireland Israel Italy Japan Kenya Malaysia Mexico Netherlands Nigeria Norway Pakistan Poland
    Portugal Russia Scotland Spain Sweden Switzerland Thailand Turkey Ukraine Vietnam Wales America Africa Asia Europe
    Texas California Florida Alaska Arizona Colorado Georgia Ohio Oregon Utah Virginia Washington Michigan Minnesota
""")
"""Countries and states: large enough to stay (45 CFR 164.514(b)(2)(i)(B) counts what is smaller than a state)."""
