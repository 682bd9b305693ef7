#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives the field page of a running gateway in a real browser.

    field_page.py http://127.0.0.1:8420 [--several URL] [--shots FOLDER]

The second gateway is one on what `several` writes.

Needs playwright and axe-playwright-python (pip) and a Chromium (CHROMIUM, /usr/bin/chromium by default).
Ends with `N passed, N failed`; exit code 1 when something failed, 2 when it could not run.
"""

import json
import os
import sys
from urllib.parse import urlsplit

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import TimeoutError as PlaywrightTimeout
    from playwright.sync_api import sync_playwright
except ImportError as missing:
    sys.exit(f"field_page.py: {missing}; pip install playwright axe-playwright-python")

# What a stranger's radio, a registry or a venue could be called (a script, a quote that ends an attribute, a line of
# writing turned round).
HOSTILE = [
    "<img src=x onerror=window.owned=1>",
    '" onmouseover="window.owned=1',
    "</script><script>window.owned=1</script>",
    "\u202egnp.exe",
    "x" * 200,
]

# A live radio as /v1/field tells of it. The gateway that is looked at has a simulated one, which is none.
RADIO = {
    "sourceText": "hci:0",
    "state": "scanning", "message": "The radio listens.", "remedy": "Nothing to do.",
    "adapter": "hci0 00:1A:7D:DA:71:13", "sinceSeconds": 7259.4, "duty": "continuous", "delivered": 61_244, "lost": 0,
    "restarts": 1, "resets": 0, "taken": 0, "filtered": False,
}
# What the page calls each state, and the class that colours it.
RADIO_STATES = {
    "noAdapter": ("✕ no adapter", "wrong"), "unsupported": ("✕ unsupported", "wrong"),
    "unauthorised": ("✕ unauthorised", "wrong"), "blocked": ("✕ blocked", "wrong"),
    "poweredOff": ("✕ powered off", "wrong"), "resetting": ("◆ resetting", "passing"),
    "poweredOn": ("◆ powered on", "passing"), "scanning": ("✓ scanning", "good"), "paused": ("◆ paused", "passing"),
    "silent": ("✕ silent", "wrong"), "lost": ("✕ lost", "wrong"),
}

results = {"passed": 0, "failed": 0}


def check(sentence, holds, detail=""):
    results["passed" if holds else "failed"] += 1
    print(f"{'ok  ' if holds else 'FAIL'} {sentence}{'' if holds else f': {detail}'}", flush=True)


class Page:
    """One browser page that remembers what it complained about."""

    def __init__(self, browser, url, width=360, scheme="light", answer=None):
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.complaints = []
        self.requests = []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective))")
        if answer:
            self.page.route("**/v1/field", answer)
        self.page.goto(f"{url}/field")

    def rows(self):
        return self.page.locator("#rows tr").count()

    def wait_for_rows(self):
        self.page.wait_for_selector("#rows tr", timeout=15_000)

    def overflow(self):
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


def report_with(report, **changes):
    return json.dumps({**report, **changes})


def fulfil(body, status=200, kind="application/json"):
    return lambda route: route.fulfill(status=status, content_type=kind, body=body)


def real_page(browser, url, shots):
    """The gateway's own data, in every size and colour."""
    for width in (320, 360, 1280):
        for scheme in ("light", "dark"):
            with Page(browser, url, width, scheme) as view:
                view.wait_for_rows()
                view.page.wait_for_timeout(1_500)
                name = f"{width} px, {scheme}"
                check(f"rows appear ({name})", view.rows() > 0)
                check(f"no horizontal scrolling ({name})", view.overflow() <= 0, f"{view.overflow()} px too wide")
                found = Axe().run(view.page).response["violations"]
                check(f"axe finds nothing ({name})", not found, [(v["id"], v["nodes"][0]["html"]) for v in found])
                check(f"no errors, no policy violations ({name})", not view.complaints, view.complaints)
                outside = [u for u in view.requests if not u.startswith((url, "data:"))]
                check(f"nothing is fetched from elsewhere ({name})", not outside, outside)
                small = view.page.evaluate(
                    "[...document.querySelectorAll('button, input, select, summary')]"
                    ".filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.id)")
                check(f"targets are 44 px high ({name})", not small, small)
                if shots:
                    view.page.screenshot(path=os.path.join(shots, f"field-{width}-{scheme}.png"))


def controls(browser, url, report):
    """Filter, order, pause; and that updating takes nothing away from the one who uses them."""
    with Page(browser, url, 1280) as view:
        view.wait_for_rows()
        banner = view.page.locator("#banner")
        check("a source that is no radio says so", banner.is_visible() == (report["source"] != "radio"))
        view.page.fill("#filter", "no beacon is called this")
        check("a filter that nothing fits says so", view.rows() == 0 and "fits" in view.text("#empty"))
        view.page.fill("#filter", str(report["beacons"][0]["beacon"]["minor"]))
        check("a filter finds a beacon by its number", view.rows() > 0)
        view.page.focus("#filter")
        view.page.wait_for_timeout(2_500)
        check("updates leave the focus alone", view.page.evaluate("document.activeElement.id") == "filter")
        view.page.fill("#filter", "")
        view.page.select_option("#sort", "name")
        view.page.evaluate("window.first = document.querySelector('#rows tr')")
        view.page.wait_for_timeout(1_500)
        check("updates keep a row's element", view.page.evaluate("window.first.isConnected"))
        view.page.click("#pause")
        before = view.text("#rows")
        view.page.wait_for_timeout(2_500)
        check("a paused list stands still", view.text("#rows") == before and "paused" in view.text("#shown"))
        view.page.select_option("#registered", "no")
        states = set(view.page.locator("#rows .state").all_text_contents())
        check("unregistered ones can be shown alone", states <= {"unregistered"}, states)
        view.page.select_option("#registered", "yes")
        states = set(view.page.locator("#rows .state").all_text_contents())
        check("registered ones can be shown alone", "unregistered" not in states, states)
        view.page.click("#pause")


def hostile(browser, url, report):
    """Names that are code are shown as text."""
    beacons = []
    for index, name in enumerate(HOSTILE):
        row = json.loads(json.dumps(report["beacons"][0]))
        row["beacon"].update(name=name, exhibit=name, group=name, minor=60_000 + index)
        row["missing"] = row["hint"] = name
        beacons.append(row)
    region = {"region": HOSTILE[0], "name": HOSTILE[1], "state": "inside", "occupancy": 7, "verified": 7,
              "listening": True, "capacity": 5}
    trouble = [{"kind": "registryRefused", "message": HOSTILE[0], "remedy": HOSTILE[2]}]
    body = report_with(report, beacons=beacons, regions=[region], trouble=trouble, gateway=HOSTILE[0],
                       sourceText=HOSTILE[4], neverHeard=HOSTILE)
    with Page(browser, url, 320, answer=fulfil(body)) as view:
        view.wait_for_rows()
        shown = view.page.locator("#rows .name").all_text_contents()
        check("names that are code are text", sorted(shown) == sorted(HOSTILE), shown)
        hints = view.page.locator("#rows .hint").all_text_contents()
        check("each row says its hint", sorted(hints) == sorted(HOSTILE), hints)
        check("no element comes of them", view.page.locator("body img, body script, [onmouseover]").count() == 0)
        check("none of them ran", view.page.evaluate("window.owned") is None)
        check("long names do not widen the page", view.overflow() <= 0, f"{view.overflow()} px too wide")
        check("no errors, no policy violations (hostile names)", not view.complaints, view.complaints)


def trouble(browser, url, report):
    """What is wrong stands in red, spoken once, and goes away."""
    said = {"body": report_with(report, trouble=[]), "status": 200}
    with Page(browser, url, answer=lambda route: fulfil(said["body"], said["status"])(route)) as view:
        view.wait_for_rows()
        check("nothing wrong is said calmly", "Nothing wrong" in view.text("#trouble"))
        said["body"] = report_with(report, trouble=[
            {"kind": "silent", "message": "Nothing heard for 12 s.", "remedy": "Look at the adapter."}])
        view.page.wait_for_selector("#trouble.wrong", timeout=5_000)
        check("trouble says what to do", "Look at the adapter." in view.text("#trouble"), view.text("#trouble"))
        check("trouble is announced", "Nothing heard" in view.page.locator("#announcement").text_content())
        said.update(status=503, body=json.dumps({"title": "x", "status": 503, "detail": "The gateway is starting."}))
        view.page.wait_for_selector("#trouble.waiting", timeout=5_000)
        check("a start is no alarm", "starting" in view.text("#trouble"), view.text("#trouble"))
        said.update(status=200, body=report_with(report, trouble=[]))
        view.page.wait_for_selector("#trouble.calm", timeout=5_000)
        view.page.unroute("**/v1/field")
        view.page.route("**/v1/field", lambda route: route.abort())
        view.page.wait_for_selector("#trouble.wrong", timeout=8_000)
        check("silence of the gateway is said", "No answer from the gateway for" in view.text("#trouble"))
        check("what is old is dimmed", view.page.evaluate("document.body.classList.contains('stale')"))
        check("a dimmed page is still readable", not Axe().run(view.page).response["violations"])


def radio(browser, url, report, shots):
    """How a live radio stands: in a word, with a sign and a colour; what it lost stands open, the rest folds away."""
    said = {}

    def say(trouble=(), others=(), **changes):
        said["body"] = report_with(
            report, source="radio", trouble=list(trouble), radios=[{**RADIO, "receiver": report["receiver"], **changes}, *others])

    def shown(view, text):
        """Waits for the next answer to be on the page."""
        try:
            view.page.wait_for_function(
                "text => document.querySelector('.radio')?.innerText.includes(text)", arg=text, timeout=5_000)
            return True
        except PlaywrightTimeout:
            return False

    with Page(browser, url) as view:
        view.wait_for_rows()
        check("without a live radio there is no card of one", not view.page.locator(".radio").is_visible())

    say()
    with Page(browser, url, answer=lambda route: fulfil(said["body"])(route)) as view:
        view.wait_for_rows()
        check("a radio that listens says since when", "✓ scanning for 2 h" in view.text(".radio"), view.text(".radio"))
        check("it says which adapter", "hci0 00:1A:7D:DA:71:13" in view.text(".radio [data-part=detail]"))
        check("it says the duty", "duty continuous: listens all the time" in view.text(".radio [data-part=detail]"))
        check("no banner says that nobody is here", not view.page.locator("#banner").is_visible())
        for part in (".radio [data-part=loss]", ".radio [data-part=taking]", ".radio dl", ".radio [data-part=ring]"):
            check(f"{part} takes no room while all is well", not view.page.locator(part).is_visible())

        say(duty="gate", lost=1_200, taken=1)
        check("a duty says how much it listens", shown(view, "duty gate: listens 5 s of 15 s"), view.text(".radio"))
        check("losses are seen without a tap", "✕ 1,200 events lost" in view.text(".radio [data-part=loss]"))
        check("so is another program's scan", "by others once" in view.text(".radio [data-part=taking]"))

        view.page.click(".radio summary")
        say(taken=3, restarts=17, resets=2, filtered=True)
        check("counts stay unfolded", shown(view, "on: what is no beacon is hidden"), view.text(".radio"))
        counts = view.page.locator(".radio dd").all_inner_texts()[1:]
        check("counts are told", counts == ["61,244", "0", "17", "2", "3"], counts)
        check("several times are counted", "by others 3 times" in view.text(".radio [data-part=taking]"))
        check("losses that are none are not told", not view.page.locator(".radio [data-part=loss]").is_visible())
        with view.page.expect_download() as download:
            view.page.click(".radio [data-part=ring]")
        check("the ring can be downloaded", download.value.suggested_filename.endswith(".btsnoop"))
        check("the page stays where it is", view.page.url == f"{url}/field", view.page.url)

        for state, (words, colour) in RADIO_STATES.items():
            wrong = {"kind": "radio", "message": "It is so.", "remedy": "Do this."}
            say(trouble=[] if state == "scanning" else [wrong], state=state, sinceSeconds=5)
            check(f"a radio that is {state} says it in words", shown(view, f"{words} for "), view.text(".radio"))
            is_coloured = view.page.locator(".radio [data-part=state]").get_attribute("class") == colour
            check(f"and in the colour of that ({state})", is_coloured)
        say(adapter=None, state="noAdapter", duty="saver")
        is_left_out = shown(view, "5 s of 30 s") and view.text(".radio [data-part=detail]").startswith("duty")
        check("an adapter never seen is left out", is_left_out, view.text(".radio [data-part=detail]"))
        say(others=[{**RADIO, "receiver": HOSTILE[0], "state": "lost", "lost": 7}])
        check("of several radios each says whose it is", shown(view, f"Radio of {report['receiver']}"), view.text(".radio"))
        second = view.page.locator(".radio").nth(1)
        check("and has a card", "✕ lost" in second.inner_text() and HOSTILE[0] in second.text_content(), second.inner_text())
        said["body"] = report_with(report)
        view.page.wait_for_selector(".radio", state="detached", timeout=5_000)
        check("no errors, no policy violations (radio)", not view.complaints, view.complaints)

    for scheme in ("light", "dark"):
        for state in ("scanning", "paused", "lost"):
            say(state=state, duty="saver", lost=123_456_789, taken=4_000, delivered=9_876_543_210,
                adapter=HOSTILE[0] + HOSTILE[4])
            with Page(browser, url, 320, scheme, answer=fulfil(said["body"])) as view:
                view.wait_for_rows()
                view.page.click(".radio summary")
                name = f"radio {state}, {scheme}"
                found = Axe().run(view.page).response["violations"]
                check(f"axe finds nothing ({name})", not found, [(v["id"], v["nodes"][0]["html"]) for v in found])
                check(f"no horizontal scrolling ({name})", view.overflow() <= 0, f"{view.overflow()} px too wide")
                is_text = view.page.locator(".radio img").count() == 0 and view.page.evaluate("window.owned") is None
                check(f"an adapter's name is text ({name})", is_text)
                height = view.page.locator(".radio [data-part=ring]").bounding_box()["height"]
                check(f"the ring's link is 44 px high ({name})", height >= 44, height)
                if shots:
                    view.page.screenshot(path=os.path.join(shots, f"radio-{state}-{scheme}.png"))


def receivers(browser, url, several, report, shots):
    """Who hears, where that is more than one: which of them listens, since when not, and who is near which."""
    with Page(browser, url, answer=fulfil(report_with(report, receivers=report["receivers"][:1]))) as view:
        view.wait_for_rows()
        check("one receiver takes no room", not view.page.locator("#hearing").is_visible())
        check("and nothing is near it", f"near {report['receivers'][0]['id']}" not in view.text("#rows"), view.text("#rows"))
        check("nor sent by several", not view.page.locator("#rows .several:visible").count())

    def item(view, name):
        return view.page.locator("#receivers li").filter(has=view.page.get_by_text(name, exact=True))

    if several:
        with Page(browser, several) as view:
            view.wait_for_rows()
            view.page.wait_for_selector("#receivers li:nth-child(2).deaf", timeout=20_000)
            names = view.page.locator("#receivers .name").all_text_contents()
            check("all receivers are shown", names == ["North gate", "gate-south", "trolley", "box-9"], names)
            north = item(view, "North gate").inner_text()
            check("one that hears says so", all(word in north for word in ("●", "listens", "sightings", " ago")), north)
            check("its id stands beside its name", "gate-north" in north, north)
            south = item(view, "gate-south").inner_text()
            check("one that fell silent does not listen", "○" in south and "does not listen" in south, south)
            check("its last message is old", "< 1 s" not in south and " ago" in south, south)
            check("its sightings are told", "180 sightings" in south, south)
            trolley = item(view, "trolley").inner_text()
            check("one that never spoke says so", "never heard from · carried" in trolley, trolley)
            check("and is grey", item(view, "trolley").get_attribute("class") == "deaf")
            box = item(view, "box-9").inner_text()
            check("one that is not listed says so", "not in the registry" in box, box)
            check("those that are do not", "not in the registry" not in north + south + trolley)
            rows = view.page.locator("#rows tr")
            check("beacons are near a receiver, by name",
                  all("near North gate" in text for text in rows.all_inner_texts()), rows.all_inner_texts())
            badges = view.page.locator("#rows tr", has=view.page.locator(".several:visible")).all_inner_texts()
            check("one beacon has several senders", len(badges) == 1 and "7/2" in badges[0], badges)
            check("the badge says so", "several senders" in "".join(badges), badges)
            south = view.page.locator("#regions li", has_text="south").inner_text()
            check("a region that nothing hears for says so", "nothing listens" in south, south)
            hall = view.page.locator("#regions li", has_text="everybody").inner_text()
            check("one that is heard for does not", "nothing listens" not in hall, hall)
            view.page.select_option("#registered", "no")
            taken = view.text("#rows")
            check("one that is not listed is inside all the same", view.rows() == 1 and "inside" in taken, taken)
            check("no errors, no policy violations (receivers)", not view.complaints, view.complaints)

    row = {**report["receivers"][0], "registered": False, "kind": "carried", "sightings": 9_876_543_210}
    rows = [{**row, "id": f"{index}-{name}"[:64], "name": name, "nearest": HOSTILE[4 - index],
             "listening": index % 2 == 0} for index, name in enumerate(HOSTILE)]
    beacon = json.loads(json.dumps(report["beacons"][0]))
    beacon.update(nearest=rows[4]["id"], severalAdvertisers=True)
    body = report_with(report, receivers=rows, beacons=[beacon])
    for width in (320, 1280):
        for scheme in ("light", "dark"):
            with Page(browser, url, width, scheme, answer=fulfil(body)) as view:
                view.wait_for_rows()
                name = f"receivers, {width} px, {scheme}"
                shown = view.page.locator("#receivers .name").all_text_contents()
                check(f"names that are code are text ({name})", shown == HOSTILE, shown)
                is_text = view.page.locator("#hearing img").count() == 0 and view.page.evaluate("window.owned") is None
                check(f"none of them ran ({name})", is_text)
                check(f"no horizontal scrolling ({name})", view.overflow() <= 0, f"{view.overflow()} px too wide")
                found = Axe().run(view.page).response["violations"]
                check(f"axe finds nothing ({name})", not found, [(v["id"], v["nodes"][0]["html"]) for v in found])
                if shots:
                    view.page.screenshot(path=os.path.join(shots, f"receivers-{width}-{scheme}.png"), full_page=True)


def marks(browser, url, report, shots):
    """The gateway is recording. Then a beacon can be marked to be somewhere; else there is nothing to press."""
    with Page(browser, url, answer=fulfil(report_with(report, recording=False))) as view:
        view.wait_for_rows()
        check("without a recording nothing can be marked", view.page.locator(".here:visible").count() == 0)

    with Page(browser, url, 360) as view:
        view.wait_for_rows()
        view.page.locator(".here").first.click()
        if shots:
            view.page.screenshot(path=os.path.join(shots, "mark.png"))
        with view.page.expect_response("**/v1/mark") as response:
            view.page.click("#mark-here")
        check("the gateway takes a mark from its own page", response.value.status == 200, response.value.status)
        check("no errors, no policy violations (a mark)", not view.complaints, view.complaints)

    beacon = json.loads(json.dumps(report["beacons"][0]))
    beacon["beacon"].update(name=HOSTILE[0])
    regions = [{"region": "room-201", "name": HOSTILE[1], "state": "inside", "occupancy": 1, "verified": 1,
                "listening": True, "capacity": None}]
    receivers = [{**report["receivers"][0], "id": "gate-north", "name": HOSTILE[4]}]
    body = report_with(report, recording=True, beacons=[beacon], regions=regions, receivers=receivers)
    said, answer = [], {"status": 200, "body": "{}"}

    def take(route):
        said.append((route.request.method, route.request.headers.get("content-type"), route.request.post_data_json))
        fulfil(answer["body"], answer["status"])(route)

    identity = "{uuid}/{major}/{minor}".format(**beacon["beacon"])
    for scheme in ("light", "dark"):
        said.clear()
        with Page(browser, url, 320, scheme, answer=fulfil(body)) as view:
            view.page.route("**/v1/mark", take)
            view.wait_for_rows()
            name = f"marks, {scheme}"
            button = view.page.locator(".here")
            check(f"the button is fit for gloves ({name})", button.bounding_box()["height"] >= 44)
            button.click()
            check(f"it asks where the beacon is ({name})", HOSTILE[0] in view.text("#mark-title"))
            options = view.page.locator("#mark-place option").all_text_contents()
            places = [f"{HOSTILE[1]} (room-201)", f"{HOSTILE[4]} (gate-north)", "nowhere"]
            check(f"regions, receivers and nowhere can be chosen ({name})", options == places, options)
            found = Axe().run(view.page).response["violations"]
            check(f"axe finds nothing ({name})", not found, [(v["id"], v["nodes"][0]["html"]) for v in found])
            check(f"no horizontal scrolling ({name})", view.overflow() <= 0, f"{view.overflow()} px too wide")
            view.page.click("#mark-here")
            view.page.wait_for_selector("#mark", state="hidden", timeout=5_000)
            check(f"the place is sent as JSON ({name})",
                  said == [("POST", "application/json", {"beacon": identity, "region": "room-201"})], said)
            check(f"the row says so ({name})", "(room-201)" in view.text(".marked"), view.text(".marked"))

            button.click()
            view.page.select_option("#mark-place", label="nowhere")
            view.page.click("#mark-here")
            view.page.wait_for_selector("#mark", state="hidden", timeout=5_000)
            check(f"nowhere is null ({name})", said[-1][2] == {"beacon": identity, "region": None}, said)
            button.click()
            check(f"the place before is offered first ({name})", "null" in view.page.input_value("#mark-place"))
            check(f"no errors, no policy violations ({name})", not view.complaints, view.complaints)

            answer.update(status=409, body=json.dumps({"title": "x", "status": 409, "detail": "Nothing recorded."}))
            view.page.click("#mark-here")
            view.page.wait_for_selector("#mark-refusal", timeout=5_000)
            check(f"a refusal is said, and asked again ({name})", "Nothing recorded." in view.text("#mark-refusal"))
            answer.update(status=200, body="{}")
            view.page.click("#mark-cancel")
            check(f"it can be left ({name})", not view.page.locator("#mark").is_visible())


def many(browser, url, report):
    """A hall full: only so many rows are drawn, and fast enough for a phone."""
    beacons = []
    for index in range(2_000):
        row = json.loads(json.dumps(report["beacons"][0]))
        row["beacon"].update(minor=index, name=f"Badge {index}")
        beacons.append(row)
    regions = [{"region": f"hall.{i}", "name": None, "state": "inside" if i % 3 else "outside", "occupancy": i % 3,
                "verified": 0, "listening": True, "capacity": None} for i in range(150)]
    with Page(browser, url, answer=fulfil(report_with(report, beacons=beacons, regions=regions))) as view:
        view.wait_for_rows()
        check("at most 300 rows are drawn", view.rows() == 300, view.rows())
        check("the page says that there are more", "filter to see others" in view.text("#shown"), view.text("#shown"))
        check("a few regions stand above, the others fold away", view.page.locator("#regions li").count() == 12)
        view.page.fill("#filter", "Badge 1999")
        check("the filter reaches beyond them", view.rows() == 1, view.rows())


def hidden(browser, url):
    """A page nobody looks at asks nothing."""
    with Page(browser, url) as view:
        view.wait_for_rows()
        view.page.evaluate(
            "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });"
            "document.dispatchEvent(new Event('visibilitychange'))")
        view.page.wait_for_timeout(500)
        asked = len(view.requests)
        view.page.wait_for_timeout(2_500)
        check("a hidden page asks nothing", len(view.requests) == asked, view.requests[asked:])
        view.page.evaluate(
            "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        view.page.wait_for_timeout(500)
        check("a page seen again asks at once", len(view.requests) > asked)


def taken(option, arguments):
    """Takes an option and its value out of the arguments; gives the value."""
    if option not in arguments:
        return None
    at = arguments.index(option)
    value = arguments[at + 1]
    del arguments[at:at + 2]
    return value


def main():
    arguments = sys.argv[1:]
    shots = taken("--shots", arguments)
    several = taken("--several", arguments)
    if len(arguments) != 1:
        sys.exit(__doc__)
    parts = urlsplit(arguments[0])
    url = f"{parts.scheme}://{parts.netloc}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        with Page(browser, url) as view:
            view.wait_for_rows()
            report = view.page.evaluate("fetch('/v1/field').then(answer => answer.json())")
        real_page(browser, url, shots)
        controls(browser, url, report)
        hostile(browser, url, report)
        trouble(browser, url, report)
        radio(browser, url, report, shots)
        receivers(browser, url, several, report, shots)
        marks(browser, url, report, shots)
        many(browser, url, report)
        hidden(browser, url)
        browser.close()
    print(f"{results['passed']} passed, {results['failed']} failed")
    sys.exit(1 if results["failed"] else 0)


main()
