package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Lists of all kinds with random filters, orders and pages. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListTest {

  private static final long SEED = 20261122;
  private static final int QUERIES = "long".equals(System.getProperty("holdfast.tests")) ? 400 : 12;

  private static final List<String> DETECTION_FILTERS =
      List.of(
          "status=active,infrequent",
          "status=infrequent",
          "hosts=a.example.com,b*",
          "hosts=*.example.com",
          "urls=/1",
          "exclude_urls=/2",
          "page_url=*/p1",
          "prioritize_malicious=true",
          "exclude_duplicates=false",
          "exclude_cdn_cgi=false");
  private static final List<String> COOKIE_FILTERS =
      List.of(
          "name=c1*", "secure=true", "http_only=false", "same_site=strict", "hosts=a*", "path=/");
  private static final List<String> FILTER_FILTERS =
      List.of("paused=true", "expression=eq 1", "description=odd");
  private static final List<String> RULE_FILTERS =
      List.of("paused=false", "action=block", "description=odd");

  private final Random random = new Random(SEED);
  private ApiFixture api;
  private ZoneProfile full;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory, Plan.ENTERPRISE);
    full = api.zone;
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    for (int i = 0; i < 24; i++) {
      String host = List.of("a", "b", "shop").get(i % 3) + ".example.com";
      String page = "http://" + host + "/p" + i % 4;
      for (int reports = i % 4; reports >= 0; reports--) {
        api.clock.advance(Duration.ofSeconds(i % 2));
        api.reportScript(page, "http://cdn.example.net/" + (i % 5 == 0 ? "cdn-cgi/" : "") + i);
      }
      String cookie = "c" + i + "=1; Path=/" + (i % 2 == 0 ? "; Secure" : "; SameSite=Strict");
      String description =
          "{\"url\":\"%s\",\"response_headers\":{\"set-cookie\":\"%s\"}}".formatted(page, cookie);
      api.post("/page_monitor/headers", description).isOk();
    }
    StringJoiner rules = new StringJoiner(",", "[", "]");
    for (int i = 0; i < 40; i++) {
      rules.add(
          "{'action':'%s','paused':%s,'description':'%s','filter':{'expression':'ip.src.asnum eq %d','paused':%s,'description':'%s'}}"
              .formatted(
                  i % 3 == 0 ? "block" : "allow",
                  i % 4 == 0,
                  i % 2 == 0 ? "even" : "ODD",
                  i,
                  i % 5 == 0,
                  i % 2 == 0 ? "even" : "ODD")
              .replace('\'', '"'));
    }
    api.post("/firewall/rules", rules.toString()).isOk();
  }

  @BeforeEach
  void fullZone() {
    api.zone = full;
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private String someOf(List<String> parameters) {
    StringJoiner query = new StringJoiner("");
    parameters.stream()
        .filter(parameter -> random.nextInt(4) == 0)
        .forEach(parameter -> query.add("&" + parameter.replace(" ", "%20")));
    return query.toString();
  }

  @Test
  void pagesPartitionListsOfScriptsAndCookies() {
    for (int i = 0; i < QUERIES; i++) {
      boolean cookies = random.nextBoolean();
      String by = random.nextBoolean() ? "first_seen_at" : "last_seen_at";
      boolean down = random.nextBoolean();
      String query =
          someOf(cookies ? COOKIE_FILTERS : DETECTION_FILTERS)
              + "&order_by="
              + by
              + "&direction="
              + (down ? "desc" : "asc");
      String path = cookies ? "/page_monitor/cookies" : "/page_monitor/scripts";

      List<JsonNode> items = pagesOf(path, query, 1 + random.nextInt(9));

      List<String> ids = ids(items);
      assertThat(ids)
          .as(query)
          .isEqualTo(
              ids(api.get(path + "?page=all" + query).isOk().result().valueStream().toList()));
      if (!query.contains("prioritize")) {
        Comparator<String> order = Comparator.naturalOrder();
        assertThat(items.stream().map(item -> seconds(item.get(by).stringValue())).toList())
            .as(query)
            .isSortedAccordingTo(down ? order.reversed() : order);
      }
    }
  }

  /** Without the part after the seconds, which may be missing. */
  private static String seconds(String time) {
    return time.substring(0, 19);
  }

  @Test
  void pagesPartitionListsOfFiltersAndRules() {
    for (int i = 0; i < QUERIES; i++) {
      boolean filters = random.nextBoolean();
      String query = someOf(filters ? FILTER_FILTERS : RULE_FILTERS);
      String path = filters ? "/filters" : "/firewall/rules";

      List<JsonNode> items = pagesOf(path, query, 5 + random.nextInt(9));

      assertThat(ids(items)).as(query).isEqualTo(ids(pagesOf(path, query, 100)));
    }
  }

  /** All pages until the first that is empty, as clients walk them. */
  private List<JsonNode> pagesOf(String path, String query, int size) {
    List<JsonNode> items = new ArrayList<>();
    for (int page = 1; ; page++) {
      var answer = api.get(path + "?page=" + page + "&per_page=" + size + query).isOk();
      JsonNode info = answer.json().get("result_info");
      answer.result().forEach(items::add);
      int total = info.get("total_count").intValue();
      assertThat(info.get("page").intValue()).isEqualTo(page);
      assertThat(info.get("per_page").intValue()).isEqualTo(size);
      assertThat(info.get("count").intValue()).isEqualTo(answer.result().size());
      assertThat(info.get("total_pages").intValue()).isEqualTo((total + size - 1) / size);
      assertThat(items.size()).isEqualTo(Math.min(total, page * size));
      if (answer.result().isEmpty()) {
        assertThat(ids(items)).doesNotHaveDuplicates().hasSize(total);
        return items;
      }
    }
  }

  private static List<String> ids(List<JsonNode> items) {
    return items.stream().map(item -> item.get("id").stringValue()).toList();
  }

  /** The published clients ask for pages until one is empty. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/filters",
        "/firewall/rules",
        "/page_monitor/scripts",
        "/page_monitor/connections",
        "/page_monitor/cookies",
        "/page_monitor/policies"
      })
  void aPageAfterTheLastIsEmptyAndNoError(String list) {
    var answer = api.get(list + "?page=1000").isOk();

    assertThat(answer.result().isArray()).isTrue();
    assertThat(answer.result()).isEmpty();
    assertThat(answer.json().at("/result_info/page").intValue()).isEqualTo(1000);
    assertThat(answer.json().at("/result_info/count").intValue()).isZero();
  }

  /** Without pages, a client that asks until a page is empty never ends. */
  @ParameterizedTest
  @ValueSource(strings = {"/zones", "/user/tokens"})
  void zonesAndTokensHavePagesToo(String list) {
    api.newZone(Plan.FREE);
    api.api.operator().createToken(List.of(), List.of());
    List<JsonNode> all = listed(list);
    assertThat(all).hasSizeGreaterThan(1);

    List<JsonNode> found = new ArrayList<>();
    for (int page = 1; page <= all.size() + 1; page++) {
      found.addAll(listed(list + "?per_page=1&page=" + page));
    }

    assertThat(ids(found)).isEqualTo(ids(all));
    assertThat(listed(list + "?page=2")).isEmpty();
  }

  @Test
  void zonesAreFoundByTheirName() {
    String other = api.api.operator().createZone("by-name.example", Plan.FREE).id();

    assertThat(ids(listed("/zones?name=by-name.example"))).containsExactly(other);
    assertThat(listed("/zones?name=unknown.example")).isEmpty();
  }

  private List<JsonNode> listed(String path) {
    return api.raw("GET", "/client/v4" + path, null, "Authorization", "Bearer " + api.token)
        .isOk()
        .result()
        .valueStream()
        .toList();
  }

  @Test
  void listsLeaveAsTables() {
    for (String kind : List.of("scripts", "cookies")) {
      var answer = api.get("/page_monitor/" + kind + "?export=csv");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("Content-Type")).contains("text/csv; charset=utf-8");
      int shown = api.get("/page_monitor/" + kind + "?page=all").isOk().result().size();
      List<String> lines = answer.response().body().lines().toList();
      assertThat(lines).hasSize(1 + shown);
      assertThat(lines.getFirst()).startsWith("id,");
    }
  }

  @Test
  void aCookieThatIsAFormulaIsNoneInATable() {
    String page =
        """
        {"url":"http://x.example.com/","response_headers":{"set-cookie":"+a(\\"b\\",c)=1"}}
        """;
    api.post("/page_monitor/headers", page).isOk();

    assertThat(api.get("/page_monitor/cookies?export=csv&hosts=x*").response().body())
        .contains(",\"'+a(\"\"b\"\",c)\",");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'before':''}|4123",
        "{'after':''}|1234",
        "{'before':'2'}|1423",
        "{'after':'1'}|1423",
        "{'index':1}|4123",
        "{'index':4}|1234",
        "{'index':3}|1243",
      })
  void aRuleGoesWhereItsPositionSays(String position, String order) {
    api.newZone(Plan.ENTERPRISE);
    StringJoiner rules = new StringJoiner(",", "{\"rules\":[", "]}");
    Stream.of("1", "2", "3").forEach(name -> rules.add(rule(name, "")));
    JsonNode made =
        api.put("/rulesets/phases/http_request_firewall_custom/entrypoint", rules.toString())
            .isOk()
            .result();
    String where = position;
    for (JsonNode rule : made.get("rules")) {
      String name = rule.get("description").stringValue();
      where =
          where.replaceAll(
              "(before|after)':'" + name + "'", "$1':'" + rule.get("id").stringValue() + "'");
    }
    String path = "/rulesets/" + made.get("id").stringValue() + "/rules";

    JsonNode added = api.post(path, rule("4", ",'position':" + where)).isOk().result();

    assertThat(names(added)).isEqualTo(order);
    String last =
        added
            .get("rules")
            .valueStream()
            .filter(r -> r.get("description").stringValue().equals("4"))
            .findFirst()
            .orElseThrow()
            .get("id")
            .stringValue();
    String moved = "{\"position\":{\"after\":\"\"}}";
    assertThat(names(api.send("PATCH", path + "/" + last, moved).isOk().result()))
        .isEqualTo("1234");
  }

  private static String rule(String name, String more) {
    return "{'action':'block','expression':'true','description':'%s'%s}"
        .formatted(name, more)
        .replace('\'', '"');
  }

  private static String names(JsonNode ruleset) {
    StringJoiner names = new StringJoiner("");
    ruleset.get("rules").forEach(rule -> names.add(rule.get("description").stringValue()));
    return names.toString();
  }

  @Test
  void thePreviousManagedRulesAreListedAsClientsAsk() {
    String zone = api.newZone(Plan.ENTERPRISE).id();
    String group = "a".repeat(32);
    String rules =
        "{'packages':{'managed':{'groups':[{'id':'%s','name':'G','mode':'on'}],'rules':[{'id':'%s','mode':'block','group_id':'%s','priority':'7'},{'id':'%s','mode':'default'}]}}}"
            .formatted(group, "b".repeat(32), group, "c".repeat(32))
            .replace('\'', '"');
    api.api.operator().importLegacy(zone, rules);
    String path = "/firewall/waf/packages/1e334934fd7ae32ad705667f8c1057aa";

    JsonNode all = api.get(path + "/rules?order=priority&direction=desc").isOk().result();

    assertThat(all.at("/0/group/name").stringValue()).isEqualTo("G");
    assertThat(all.at("/0/priority").stringValue()).isEqualTo("7");
    assertThat(all.at("/1/default_mode").stringValue()).isEqualTo("block");
    assertThat(api.get(path + "/rules?mode=BLK").isOk().result()).hasSize(1);
    assertThat(api.get(path + "/rules?group_id=" + group).isOk().result()).hasSize(1);
    assertThat(api.get(path + "/groups?name=G&mode=off&match=any").isOk().result()).hasSize(1);
    assertThat(api.get(path + "/groups?name=G&mode=off").isOk().result()).isEmpty();
    assertThat(api.get(path + "/groups").isOk().result().at("/0/rules_count").intValue()).isOne();
  }

  @Test
  void groupsAndRulesAreOrderedByWhatClientsName() {
    String zone = api.newZone(Plan.ENTERPRISE).id();
    String few = "b".repeat(32);
    String none = "c".repeat(32);
    String many = "f".repeat(32);
    StringJoiner groups = new StringJoiner(",");
    List.of(few, none, many)
        .forEach(id -> groups.add("{'id':'%1$s','name':'%1$s','mode':'on'}".formatted(id)));
    StringJoiner rules = new StringJoiner(",");
    for (int i = 0; i < 19; i++) {
      String rule = "{'id':'%032x','mode':'default','group_id':'%s'}";
      rules.add(rule.formatted(i, i < 10 ? many : few));
    }
    String document =
        "{'packages':{'managed':{'groups':[" + groups + "],'rules':[" + rules + "]}}}";
    api.api.operator().importLegacy(zone, document.replace('\'', '"'));
    String path = "/firewall/waf/packages/1e334934fd7ae32ad705667f8c1057aa";

    assertThat(ids(list(path + "/groups?order=rules_count"))).containsExactly(none, few, many);
    assertThat(ids(list(path + "/groups?rules_count=9"))).containsExactly(few);
    assertThat(ids(list(path + "/groups?rules_count=9&match=any&name=" + many)))
        .containsExactly(few, many);
    api.get(path + "/groups?rules_count=many").isError(400, 10004);
    assertThat(ids(list(path + "/rules?order=group_id&per_page=9")))
        .containsExactlyElementsOf(IntStream.range(10, 19).mapToObj("%032x"::formatted).toList());

    String changed = path + "/groups/" + many;
    JsonNode off = api.send("PATCH", changed, "{\"mode\":\"off\"}").isOk().result();
    assertThat(off.get("rules_count").intValue()).isEqualTo(10);
    assertThat(api.get(changed).isOk().result()).isEqualTo(off);
  }

  private List<JsonNode> list(String path) {
    return api.get(path).isOk().result().valueStream().toList();
  }

  @Test
  void listOfHostsMayBeLong() {
    String hosts = "nobody.example.com,".repeat(5_000);

    assertThat(api.get("/page_monitor/scripts?per_page=1&hosts=" + hosts).isOk().result())
        .isEmpty();
    assertThat(api.get("/page_monitor/scripts?per_page=1&hosts=" + hosts + "*").isOk().result())
        .hasSize(1);
  }
}
