"""The report as a reader meets it, in Chromium: it opens, draws, and needs no network."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphassay.report import compare_reports, write_report
from report.sample_result import HOSTILE, sample_result

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    molecules = sample_result(n_patterns=400)
    write_report(molecules, folder / "molecules", figures=False)
    hostile = sample_result(kind="proteins", hostile=True, undefined=True, n_patterns=40)
    write_report(hostile, folder / "hostile", figures=False)
    others = [sample_result(n_patterns=3, name=n, em=em) for n, em in (("b", 0.9), ("c", 0.0))]
    parts = sample_result(n_patterns=40, parts="full")
    write_report(parts, folder / "parts", figures=False)
    odd = sample_result(n_patterns=40, parts="full", kind="proteins", hostile=True)
    write_report(odd, folder / "odd", figures=False)
    none = sample_result(n_patterns=40, parts="degenerate")
    write_report(none, folder / "none", figures=False)
    compare_reports([molecules, *others, hostile], folder / "compare.html")
    return folder


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        message = "chromium and chromedriver are needed (Debian: chromium, chromium-driver)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
        "--window-size=1280,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    session = webdriver.Chrome(options=options, service=Service(driver))
    yield session
    session.quit()


def open_page(chromium, path: Path, *, width: int = 1280, dark: bool = False) -> None:
    """Load a page at a width, and check that it is silent: no console message, no request."""
    chromium.get_log("browser")
    chromium.get_log("performance")
    phone = width < 600
    chromium.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": phone},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    chromium.get(path.as_uri())
    assert_silent(chromium, path)


def assert_silent(chromium, path: Path) -> None:
    assert chromium.get_log("browser") == []
    for entry in chromium.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url == path.as_uri() or url.startswith("data:"), url


def test_report_opens_reads_and_draws(chromium, reports: Path) -> None:
    from selenium.webdriver import ActionChains, Keys
    from selenium.webdriver.common.by import By

    path = reports / "molecules" / "report.html"
    open_page(chromium, path)
    verdict = chromium.find_element(By.ID, "verdict").text
    assert verdict.startswith("Beyond memorization")
    assert "The model makes new graphs whose patterns stay close to train." in verdict

    chart = chromium.find_element(By.ID, "scatter")
    dots = chromium.find_elements(By.CSS_SELECTOR, "#dots circle")
    assert len(dots) == 400
    picture = chromium.find_element(By.ID, "i-pic")
    code = chromium.find_element(By.CSS_SELECTOR, "[data-f=c]")
    seen = set()
    chromium.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    for dot in (dots[50], dots[200], dots[399]):
        ActionChains(chromium).move_to_element(dot).perform()
        drawn = picture.find_element(By.TAG_NAME, "svg")
        assert drawn.size["width"] > 20
        assert drawn.find_elements(By.CSS_SELECTOR, "path, text")
        seen.add(code.text)
    assert len(seen) == 3

    chart.click()
    chart.send_keys(Keys.HOME)
    first = code.text
    chart.send_keys(Keys.ARROW_RIGHT)
    assert code.text != first
    assert "%" in chromium.find_element(By.CSS_SELECTOR, "[data-f=t]").text
    assert_silent(chromium, path)


def test_linearization_page_draws_the_graph_under_the_pointer(chromium, reports: Path) -> None:
    from selenium.webdriver import ActionChains, Keys
    from selenium.webdriver.common.by import By

    path = reports / "parts" / "report.html"
    open_page(chromium, path)
    chromium.find_element(By.LINK_TEXT, "The linearization page").click()
    assert chromium.current_url == (path.parent / "linearization.html").as_uri()
    open_page(chromium, path.parent / "linearization.html")

    chart, picture = (chromium.find_element(By.ID, name) for name in ("scatter", "i-pic"))
    lu = chromium.find_element(By.CSS_SELECTOR, "[data-f=u]")
    highest = float(lu.text)  # the page starts with the highest LU
    dots = chromium.find_elements(By.CSS_SELECTOR, "#dots circle")
    assert len(dots) == 300
    chromium.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    smiles = set()
    for dot in (dots[30], dots[150], dots[290]):
        ActionChains(chromium).move_to_element(dot).perform()
        assert picture.find_element(By.TAG_NAME, "svg").size["width"] > 20
        smiles.add(chromium.find_element(By.CSS_SELECTOR, "[data-f=c]").text)
        assert chromium.find_element(By.CSS_SELECTOR, "[data-f=k]").text in {
            "yes",
            "no",
            "not known",
        }
        assert lu.text.startswith("undefined") or float(lu.text) <= highest
    assert len(smiles) > 1
    chart.click()
    chart.send_keys(Keys.HOME)
    first = chromium.find_element(By.CSS_SELECTOR, "[data-f=g]").text
    chart.send_keys(Keys.END)
    assert float(chromium.find_element(By.CSS_SELECTOR, "[data-f=g]").text) > float(first)
    chromium.find_element(By.LINK_TEXT, "← Report").click()
    assert chromium.current_url == path.as_uri()


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_in_a_heat_map_can_be_read(chromium, reports: Path, dark: bool) -> None:
    open_page(chromium, reports / "parts" / "linearization.html", dark=dark)
    cells = chromium.execute_script(
        """const solid = c => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
        return [...document.querySelectorAll(".heat td.cell")].map(cell => {
            const own = getComputedStyle(cell), over = getComputedStyle(cell, "::before");
            return [solid(own.color), solid(own.backgroundColor), solid(over.backgroundColor),
                    Number(over.opacity)]; });"""
    )
    assert len(cells) > 100

    def luminance(colour: list[float]) -> float:
        parts = [c / 255 for c in colour]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ink, card, over, opacity in cells:
        ground = [o * opacity + c * (1 - opacity) for o, c in zip(over, card, strict=True)]
        light, deep = sorted((luminance(ink), luminance(ground)), reverse=True)
        assert (light + 0.05) / (deep + 0.05) >= 4.5  # WCAG AA


def test_theme_can_be_switched(chromium, reports: Path) -> None:
    from selenium.webdriver.common.by import By

    def background() -> str:
        return chromium.execute_script("return getComputedStyle(document.body).backgroundColor")

    open_page(chromium, reports / "molecules" / "report.html", dark=True)
    dark = background()
    chromium.find_element(By.ID, "theme").click()
    light = background()
    assert dark != light
    chromium.find_element(By.ID, "theme").click()
    assert background() == dark
    chromium.execute_script("localStorage.clear()")


PAGES = (
    "molecules/report.html",
    "hostile/report.html",
    "compare.html",
    "parts/report.html",
    "parts/linearization.html",
    "odd/report.html",
    "odd/linearization.html",
    "none/report.html",
    "none/linearization.html",
)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_screen(chromium, reports: Path, page: str, width: int) -> None:
    open_page(chromium, reports / page, width=width)
    room, screen = chromium.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth]"
    )
    assert room <= width == screen
    folds = "document.querySelectorAll('details').forEach(d => { d.open = true; });"
    chromium.execute_script(folds)
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width


def test_hostile_labels_stay_text(chromium, reports: Path) -> None:
    from selenium.webdriver.common.by import By

    path = reports / "hostile" / "report.html"
    open_page(chromium, path)
    assert chromium.find_element(By.TAG_NAME, "h1").text == HOSTILE[0]
    assert chromium.find_elements(By.TAG_NAME, "img") == []
    dots = chromium.find_elements(By.CSS_SELECTOR, "#dots circle")
    assert len(dots) == 40
    assert_silent(chromium, path)


def test_compare_sorts_by_number_and_keeps_the_undefined_last(chromium, reports: Path) -> None:
    from selenium.webdriver.common.by import By

    open_page(chromium, reports / "compare.html")
    table = chromium.find_element(By.CSS_SELECTOR, "#numbers table")
    buttons = {b.text.split(" ")[0]: b for b in table.find_elements(By.TAG_NAME, "button")}

    def order() -> list[str]:
        return [row.text.split(" ")[0] for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]

    assert order() == ["1", "2", "3", "4"]
    buttons["EM"].click()
    assert order() == ["3", "1", "4", "2"]
    buttons["ρ"].click()
    assert order()[-1] == "4"  # its ρ is undefined
    buttons["ρ"].click()
    assert order()[-1] == "4"


def test_page_prints(chromium, reports: Path) -> None:
    open_page(chromium, reports / "molecules" / "report.html")
    pdf = chromium.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert pdf.startswith("JVBERi")  # %PDF-
    assert_silent(chromium, reports / "molecules" / "report.html")
