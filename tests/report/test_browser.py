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


@pytest.mark.parametrize("page", ["molecules/report.html", "hostile/report.html", "compare.html"])
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
