// The field page: asks for /v1/field once a second and puts it on the page.
// Names and addresses come from strangers' radios: they are set as text, never parsed as HTML.

const second = 1000;
const askEvery = 1 * second;
const giveUpAfter = 4 * second;
const callItSilentAfter = 3 * second;
/** More rows than anyone reads; beyond, each update would cost a phone too much. */
const rowLimit = 300;
/** As many regions as stand above the beacons; derived ones may be hundreds. */
const regionLimit = 12;
/** dB that a beacon's level must change before its place in the list does: else rows would dance. */
const sortHysteresis = 4;

const byId = (id) => document.getElementById(id);
const shapes = { near: '●', mid: '◆', far: '▲' };
/** States of a radio that end by themselves within seconds. */
const passing = new Set(['resetting', 'poweredOn', 'paused']);
const duties = { continuous: 'all the time', gate: '5 s of 15 s', saver: '5 s of 30 s' };

let report = null;                       // The last answer.
let reportArrived = performance.now();
let waitingSince = performance.now();    // For an answer of any kind; not while hidden.
let refusal = null;                      // What the gateway said instead of a report.
let paused = null;                       // What the lists stand still at: a report and how old it was.
let asking = false;
let timer = 0;
let announced = '';

const rows = new Map();     // Identity to the row that shows it.
const regionItems = new Map();
const receiverItems = new Map();
const radioCards = [];      // In the order of the sources.
const marked = new Map();   // Identity to where it was marked last, and when.
let marking = null;         // The beacon that the open dialog is about.

// Words

function ageInWords(seconds) {
  if (seconds < 1) return '< 1 s';
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} days`;
}

const minus = (number) => String(number).replace('-', '−');
const level = (dBm) => (dBm === null ? 'no RSSI' : `${minus(Math.round(dBm))} dBm`);
const counted = (number) => number.toLocaleString('en');

function identityOf(beacon) {
  return `${beacon.uuid}/${beacon.major}/${beacon.minor}`;
}

function titleOf(beacon) {
  return beacon.name || beacon.exhibit || `${beacon.major}/${beacon.minor}`;
}

function identityInWords({ beacon, address }) {
  const { uuid, major, minor } = beacon;
  return [
    beacon.name || beacon.exhibit ? `…${uuid.slice(-4)} ${major}/${minor}` : uuid,
    beacon.group,
    beacon.registered ? null : address,
  ].filter(Boolean).join(' · ');
}

function stateInWords(row) {
  return row.state === 'inside' && !row.verified ? 'inside, unverified' : row.state;
}

function detailOf(row, late, stations) {
  const parts = [];
  if (stations && row.nearest) parts.push(`near ${stations.get(row.nearest) || row.nearest}`);
  if (row.state === 'inside') parts.push(`for ${ageInWords(row.insideSeconds + late)}`);
  if (row.missing) parts.push(row.missing);
  else if (row.state === 'entering') parts.push(`${row.hits} of ${row.hitsNeeded} hits`);
  else if (row.rssi === null) parts.push('no RSSI from adapter');
  if (row.implausiblePower) parts.push(`sends an implausible power of ${minus(row.measuredPower)} dBm: not used`);
  return parts.join(' · ');
}

function wakeInWords(wake, late) {
  if (!wake) return '';
  return `${wake.direction} ${wake.regions.join(', ')}, ${ageInWords(wake.ageSeconds + late)} ago`;
}

const inWords = (camelCase) => camelCase.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const times = (count) => (count === 1 ? 'once' : `${counted(count)} times`);

/** How good a radio's state is: a class of the style sheet and the sign that says the same without colour. */
function standingOf(state) {
  if (state === 'scanning') return { name: 'good', sign: '✓' };
  return passing.has(state) ? { name: 'passing', sign: '◆' } : { name: 'wrong', sign: '✕' };
}

// Writing to the page, and only where something changed

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setClass(element, name) {
  if (element.className !== name) element.className = name;
}

function make(tag, className, parent) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (parent) parent.append(element);
  return element;
}

/** Brings the children into this order; moves only those that are elsewhere, so that nothing flickers. */
function arrange(parent, children) {
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  while (next) {
    const gone = next;
    next = next.nextElementSibling;
    gone.remove();
  }
}

// The top

function troubles(silentFor) {
  if (silentFor >= callItSilentAfter) {
    return [{
      kind: 'noAnswer',
      message: `No answer from the gateway for ${Math.floor(silentFor / second)} s.`,
      remedy: 'Is it running, and is this device still connected to it? What stands below is old.',
    }];
  }
  if (refusal?.status === 503) return [];  // It is starting: no alarm.
  if (refusal) return [{ kind: 'refused', message: `The gateway refused: ${refusal.text}`, remedy: '' }];
  return report ? report.trouble : [];
}

function showTrouble(silentFor) {
  const list = troubles(silentFor);
  const starting = list.length === 0 && (refusal || !report);
  const calm = list.length === 0 && !starting;
  const box = byId('trouble');
  setClass(box, `trouble ${calm ? 'calm' : starting ? 'waiting' : 'wrong'}`);
  const lines = calm ? [{ message: '✓ Nothing wrong', remedy: '' }]
    : starting ? [{ message: refusal ? refusal.text : 'Asking the gateway…', remedy: '' }]
    : list.map(({ message, remedy }) => ({ message: `✕ ${message}`, remedy }));
  while (box.children.length > lines.length) box.lastElementChild.remove();
  lines.forEach(({ message, remedy }, index) => {
    const line = box.children[index] || make('p', '', box);
    if (line.children.length === 0) {
      line.textContent = '';
      make('span', '', line);
      line.append(' ');
      make('span', 'remedy', line);
    }
    setText(line.children[0], message);
    setText(line.children[1], remedy);
  });
  document.body.classList.toggle('stale', list.some((trouble) => trouble.kind === 'noAnswer'));
  announce(calm ? 'calm' : starting ? 'starting' : list.map((trouble) => trouble.kind).join(), lines);
}

/** Speaks when the kind of trouble changes, not each second while a number in its text counts on. */
function announce(kinds, lines) {
  if (kinds === announced) return;
  announced = kinds;
  setText(byId('announcement'), lines.map(({ message, remedy }) => `${message} ${remedy}`.trim()).join(' '));
}

function showTop(late) {
  const banner = byId('banner');
  banner.hidden = report.source === 'radio';
  setText(banner, report.source === 'simulated' ? 'SIMULATED: no radio is heard, nobody is here'
    : report.source === 'capture' ? 'CAPTURE: this was recorded' : '');
  setText(byId('gateway'), report.gateway);
  document.title = `${report.trouble.length ? '✕ ' : ''}${report.gateway} · field`;
  setText(byId('where'), [
    `receiver ${report.receiver}${report.listening ? '' : ' (cannot hear)'}`,
    report.sourceText,
    `up ${ageInWords(report.uptimeSeconds + late)}`,
    `regiond ${report.version}`,
  ].join(' · '));
}

function showGlance(late) {
  setText(byId('heard'), report.registered === 0 ? 'Nothing registered'
    : `${counted(report.registeredHeard)} of ${counted(report.registered)} heard`);
  const others = report.registered - report.registeredHeard - report.neverHeard.length;
  setText(byId('never'), report.neverHeard.length > 0
    ? `never: ${report.neverHeard.join(', ')}${others > 0 ? ` and ${counted(others)} others` : ''}`
    : others > 0 ? 'all fixed ones heard; the others are carried' : '');
  const wake = report.lastWake;
  setText(byId('wake'), wake ? `${wake.direction} · ${ageInWords(wake.ageSeconds + late)} ago` : 'none yet');
  setText(byId('wake-detail'), wake ? `${titleOf(wake.beacon)} · ${wake.regions.join(', ')} · event ${wake.seq}` : '');
}

/** A card for each radio; with several each says whose it is. */
function showRadios(late) {
  const { radios } = report;
  while (radioCards.length > radios.length) radioCards.pop().remove();
  while (radioCards.length < radios.length) {
    byId('glance').append(byId('radio-card').content.cloneNode(true));
    radioCards.push(byId('glance').lastElementChild);
  }
  radios.forEach((radio, index) => showRadio(radioCards[index], radio, radios.length > 1, late));
}

function showRadio(card, radio, isOneOfSeveral, late) {
  const part = (name) => card.querySelector(`[data-part="${name}"]`);
  const { name, sign } = standingOf(radio.state);
  setText(part('title'), isOneOfSeveral ? `Radio of ${radio.receiver}` : 'Radio');
  setText(part('state'), `${sign} ${inWords(radio.state)}`);
  setClass(part('state'), name);
  setText(part('since'), `for ${ageInWords(radio.sinceSeconds + late)}`);
  setText(part('detail'), [
    radio.adapter,
    `duty ${radio.duty}${duties[radio.duty] ? `: listens ${duties[radio.duty]}` : ''}`,
  ].filter(Boolean).join(' · '));
  part('loss').hidden = radio.lost === 0;
  setText(part('loss'), `✕ ${counted(radio.lost)} events lost unread`);
  part('taking').hidden = radio.taken === 0;
  setText(part('taking'), `◆ Scan taken over by others ${times(radio.taken)}`);
  setText(part('filter'), radio.filtered ? 'on: what is no beacon is hidden' : 'off while you look');
  for (const key of ['delivered', 'lost', 'restarts', 'resets', 'taken']) setText(part(key), counted(radio[key]));
  const ring = `/v1/ring?receiver=${encodeURIComponent(radio.receiver)}`;
  if (part('ring').getAttribute('href') !== ring) part('ring').setAttribute('href', ring);
}

/** Names of receivers by what events call them; null where only one hears, and everything is near it. */
function stationsOf({ receivers }) {
  return receivers.length > 1 ? new Map(receivers.map(({ id, name }) => [id, name])) : null;
}

function showReceivers(late) {
  const { receivers, asOf } = report;
  byId('hearing').hidden = receivers.length < 2;
  arrange(byId('receivers'), receivers.length < 2 ? [] : receivers.map((row) => receiverItem(row, asOf, late)));
  const present = new Set(receivers.map(({ id }) => id));
  for (const key of receiverItems.keys()) if (!present.has(key)) receiverItems.delete(key);
}

function receiverItem({ id, name, kind, registered, listening, heardUntil, sightings, nearest }, asOf, late) {
  let item = receiverItems.get(id);
  if (!item) {
    item = { li: make('li') };
    item.dot = make('span', 'dot', item.li);
    const middle = make('div', '', item.li);
    item.name = make('bdi', 'name', middle);
    item.detail = make('span', 'more', middle);
    item.stranger = make('span', 'more stranger', middle);
    const right = make('div', 'heard', item.li);
    item.heard = make('span', 'figure', right);
    item.sightings = make('span', 'more figure', right);
    receiverItems.set(id, item);
  }
  setClass(item.li, listening ? '' : 'deaf');
  setText(item.dot, listening ? '●' : '○');
  setText(item.name, name || id);
  setText(item.detail, [
    name ? id : '',
    listening ? 'listens' : heardUntil === null ? 'never heard from' : 'does not listen',
    kind === 'carried' ? kind : '',
    nearest === null ? '' : `near ${nearest}`,
  ].filter(Boolean).join(' · '));
  setText(item.stranger, registered ? '' : 'not in the registry');
  const age = heardUntil === null ? null : Math.max(0, Date.parse(asOf) - Date.parse(heardUntil)) / second + late;
  setText(item.heard, age === null ? '–' : `${ageInWords(age)} ago`);
  setText(item.sightings, `${counted(sightings)} ${sightings === 1 ? 'sighting' : 'sightings'}`);
  return item.li;
}

function showRegions({ regions }) {
  const fullest = regions.map((_, index) => index)
    .sort((a, b) => regions[b].occupancy - regions[a].occupancy || a - b).slice(0, regionLimit);
  const chosen = new Set(fullest);
  arrange(byId('regions'), regions.filter((_, index) => chosen.has(index)).map(regionItem));
  byId('no-regions').hidden = regions.length > 0;
  const others = regions.filter((_, index) => !chosen.has(index));
  const details = byId('other-regions');
  details.hidden = others.length === 0;
  setText(details.querySelector('summary'), `${counted(others.length)} more, none fuller`);
  arrange(details.querySelector('ul'), details.open ? others.map(regionItem) : []);
  const present = new Set(regions.map((region) => region.region));
  for (const key of regionItems.keys()) if (!present.has(key)) regionItems.delete(key);
}

function regionItem({ region, name, occupancy, verified, listening, capacity }) {
  let item = regionItems.get(region);
  if (!item) {
    item = { li: make('li') };
    const left = make('div', '', item.li);
    item.name = make('bdi', 'name', left);
    item.detail = make('span', 'more', left);
    item.count = make('span', '', item.li);
    item.track = make('div', 'track', item.li);
    item.fill = make('div', 'fill', item.track);
    regionItems.set(region, item);
  }
  setText(item.name, name || region);
  setText(item.detail, [
    name ? region : '',
    `${counted(verified)} verified`,
    listening ? '' : 'nothing listens',
  ].filter(Boolean).join(' · '));
  setText(item.count, capacity === null ? counted(occupancy) : `${counted(occupancy)} of ${counted(capacity)}`);
  setClass(item.count, capacity !== null && occupancy > capacity ? 'count full' : 'count');
  item.track.hidden = !capacity;
  if (capacity) item.fill.style.width = `${Math.min(100, 100 * occupancy / capacity)}%`;
  return item.li;
}

// The beacons

function matches(row, words, registered) {
  if (registered !== 'all' && row.beacon.registered !== (registered === 'yes')) return false;
  if (words.length === 0) return true;
  const { beacon } = row;
  const text = [beacon.name, beacon.exhibit, beacon.group, identityOf(beacon), row.address, row.state, row.tier]
    .join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function loudness(row) {
  return row.filteredRSSI ?? row.rssi ?? -128;
}

/** What the list is sorted by: the level as it was when it last changed for good. */
function steadyLevel(key, row) {
  const held = levels.get(key);
  if (held !== undefined && Math.abs(held - loudness(row)) < sortHysteresis) return held;
  levels.set(key, loudness(row));
  return loudness(row);
}
const levels = new Map();

function chosenRows(beacons) {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const registered = byId('registered').value;
  const chosen = beacons
    .map((row) => ({ row, key: identityOf(row.beacon) }))
    .filter(({ row }) => matches(row, words, registered));
  for (const entry of chosen) entry.level = steadyLevel(entry.key, entry.row);
  const byName = (a, b) => titleOf(a.row.beacon).localeCompare(titleOf(b.row.beacon), undefined, { numeric: true })
    || (a.key < b.key ? -1 : 1);
  chosen.sort(byId('sort').value === 'name' ? byName : (a, b) => b.level - a.level || byName(a, b));
  return chosen;
}

function makeRow() {
  const tr = make('tr');
  tr.setAttribute('role', 'row');
  const cell = (tag, role) => {
    const element = make(tag, '', tr);
    element.setAttribute('role', role);
    return element;
  };
  const beacon = cell('th', 'rowheader');
  beacon.scope = 'row';
  const rssi = cell('td', 'cell'), tier = cell('td', 'cell'), heard = cell('td', 'cell');
  const state = cell('td', 'cell'), wake = cell('td', 'cell');
  const view = {
    tr,
    name: make('bdi', 'name', beacon),
    identity: make('span', 'minor', beacon),
    rssi: make('span', 'figure', rssi),
    filtered: make('span', 'more figure', rssi),
    tier: make('span', 'tier', tier),
    distance: make('span', 'more figure', tier),
    heard: make('span', 'figure', heard),
    state: make('span', 'state', state),
    several: make('span', 'several', state),
    detail: make('span', 'more', state),
    hint: make('span', 'more hint', state),
    wake: make('span', 'more', wake),
    marked: make('span', 'marked', wake),
    here: make('button', 'here', wake),
    beacon: null,
  };
  view.several.textContent = 'several senders';
  view.here.type = 'button';
  view.here.textContent = 'Here now';
  view.here.addEventListener('click', () => openMark(view.beacon));
  return view;
}

function fillRow(view, row, late, stations) {
  setText(view.name, titleOf(row.beacon));
  setText(view.identity, identityInWords(row));
  setText(view.rssi, level(row.rssi));
  setText(view.filtered, row.filteredRSSI === null ? '' : `filtered ${minus(row.filteredRSSI.toFixed(1))}`);
  setText(view.tier, row.tier ? `${shapes[row.tier]} ${row.tier}` : '–');
  setClass(view.tier, `tier ${row.tier || 'far'}`);
  setText(view.distance, row.distance || '');
  setText(view.heard, `${ageInWords(row.lastHeardSeconds + late)} ago`);
  setText(view.state, stateInWords(row));
  setClass(view.state, `state ${row.state}`);
  view.several.hidden = !row.severalAdvertisers;
  setText(view.detail, detailOf(row, late, stations));
  setText(view.hint, row.hint || '');
  setText(view.wake, wakeInWords(row.lastWake, late));
  const last = marked.get(identityOf(row.beacon));
  setText(view.marked, last ? `marked ${last.place} ${ageInWords((performance.now() - last.at) / second)} ago` : '');
  view.beacon = row.beacon;
  view.here.hidden = !report.recording;
  const label = `Here now: ${titleOf(row.beacon)}`;
  if (view.here.getAttribute('aria-label') !== label) view.here.setAttribute('aria-label', label);
}

// Marks: while recording, whoever walks says where a beacon is, and the gateway writes it down beside the recording

/** Where a beacon may be, each as what a mark says of it. */
function places() {
  const words = (id, name) => (name ? `${name} (${id})` : id);
  return [
    ['In region', report.regions.map(({ region, name }) => [{ region }, words(region, name)])],
    ['Nearest to', report.receivers.map(({ id, name }) => [{ nearest: id }, words(id, name)])],
    ['Elsewhere', [[{ region: null }, 'nowhere']]],
  ];
}

function openMark(beacon) {
  marking = beacon;
  setText(byId('mark-beacon'), titleOf(beacon));
  byId('mark-refusal').hidden = true;
  const select = byId('mark-place');
  const before = select.value;
  select.replaceChildren();
  for (const [title, choices] of places()) {
    if (choices.length === 0) continue;
    const group = make('optgroup', '', select);
    group.label = title;
    for (const [place, words] of choices) {
      const option = make('option', '', group);
      option.value = JSON.stringify(place);
      option.textContent = words;
    }
  }
  // Who marks one beacon after another mostly stands where he stood.
  if ([...select.options].some(({ value }) => value === before)) select.value = before;
  byId('mark').showModal();
}

async function mark() {
  const select = byId('mark-place');
  const beacon = marking;
  const body = JSON.stringify({ beacon: identityOf(beacon), ...JSON.parse(select.value) });
  const place = select.selectedOptions[0].textContent;
  let refused = '';
  byId('mark-here').disabled = true;
  try {
    const answer = await fetch('/v1/mark', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: AbortSignal.timeout(giveUpAfter),
    });
    const said = await answer.json();
    if (!answer.ok) refused = said.detail;
  } catch {
    refused = 'No answer from the gateway: this mark may be lost. Mark again.';
  } finally {
    byId('mark-here').disabled = false;
  }
  setText(byId('mark-refusal'), refused && `✕ ${refused}`);
  byId('mark-refusal').hidden = !refused;
  if (refused) return;
  marked.set(identityOf(beacon), { place, at: performance.now() });
  byId('mark').close();
  setText(byId('announcement'), `${titleOf(beacon)} marked: ${place}`);
  showLists();
}

function showBeacons(shown, late) {
  const { beacons, omitted, forgotten, refused } = shown;
  const stations = stationsOf(shown);
  const chosen = chosenRows(beacons);
  const visible = chosen.slice(0, rowLimit);
  const kept = new Set();
  const elements = visible.map(({ row, key }) => {
    kept.add(key);
    let view = rows.get(key);
    if (!view) rows.set(key, view = makeRow());
    fillRow(view, row, late, stations);
    return view.tr;
  });
  arrange(byId('rows'), elements);
  for (const key of rows.keys()) if (!kept.has(key)) rows.delete(key);
  if (levels.size > 2 * beacons.length + rowLimit) levels.clear();

  const beyond = chosen.length - visible.length;
  setText(byId('shown'), [
    `${counted(visible.length)} of ${counted(beacons.length + omitted)}`,
    beyond > 0 ? `the first ${rowLimit} are shown: filter to see others` : '',
    omitted > 0 ? `${counted(omitted)} left out by the gateway` : '',
    forgotten > 0 ? `${counted(forgotten)} unregistered ones forgotten, the list was full` : '',
    refused > 0 ? `${counted(refused)} sightings of unregistered ones refused, all that fit are inside` : '',
    paused ? 'paused' : '',
  ].filter(Boolean).join(' · '));
  const empty = byId('empty');
  empty.hidden = visible.length > 0;
  setText(empty, beacons.length === 0 ? 'Nothing heard yet.' : 'No beacon fits the filter.');
}

/** What is in force, so that nobody has to guess whether a changed file was taken. */
function showFooter() {
  const settings = Object.entries(report.settings).map(([name, value]) => `${name} ${value === null ? 'off' : value}`);
  setText(byId('settings'), `In force where no region says otherwise: ${settings.join(', ')}`);
  const parts = Object.entries(report.discards).filter(([, count]) => count > 0)
    .map(([reason, count]) => `${reason} ${counted(count)}`);
  setText(byId('refused'), parts.length ? `Reports refused: ${parts.join(', ')}` : '');
}

// The clockwork

function lateness() {
  return (performance.now() - reportArrived) / second;
}

function show() {
  showTrouble(performance.now() - waitingSince);
  if (!report) return;
  const late = lateness();
  showTop(late);
  showGlance(late);
  showRadios(late);
  showReceivers(late);
  showFooter();
  showLists();
}

function showLists() {
  if (!report) return;
  const { report: shown, late } = paused || { report, late: lateness() };
  showRegions(shown);
  showBeacons(shown, late);
}

async function ask() {
  if (asking) return;
  asking = true;
  try {
    const answer = await fetch('/v1/field', { cache: 'no-store', signal: AbortSignal.timeout(giveUpAfter) });
    const body = await answer.json();
    waitingSince = performance.now();
    refusal = answer.ok ? null : { status: answer.status, text: body.detail };
    if (answer.ok) {
      report = body;
      reportArrived = waitingSince;
    }
  } catch {
    // No answer, or half of one: the page says in red for how long.
  } finally {
    asking = false;
  }
  show();
}

/** A page nobody looks at asks nothing. */
function watch() {
  clearInterval(timer);
  if (document.hidden) return;
  waitingSince = performance.now();
  ask();
  timer = setInterval(() => {
    if (asking) show();
    ask();
  }, askEvery);
}

byId('pause').addEventListener('click', ({ currentTarget }) => {
  paused = paused || !report ? null : { report, late: lateness() };
  setClass(currentTarget, paused ? 'on' : '');
  setText(currentTarget, paused ? 'Go on' : 'Pause');
  showLists();
});
for (const id of ['filter', 'registered', 'sort']) byId(id).addEventListener('input', showLists);
byId('other-regions').addEventListener('toggle', showLists);
byId('mark-here').addEventListener('click', mark);
byId('mark-cancel').addEventListener('click', () => byId('mark').close());
document.addEventListener('visibilitychange', watch);
watch();
