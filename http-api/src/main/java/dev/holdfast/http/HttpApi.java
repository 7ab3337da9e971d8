package dev.holdfast.http;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.filter.Headers;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterSyntaxException;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.internal.accounts.AccountsObject;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.TraceHeaders;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.endpoint.Route;
import dev.holdfast.http.internal.endpoint.Router;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.ApiError;
import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.request.DescribedRequest;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.internal.zone.ZoneObject;
import dev.holdfast.http.monitor.object.PageHeader;
import dev.holdfast.http.monitor.object.PageRequest;
import dev.holdfast.http.monitor.object.ReportTarget;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.Grant;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.http.service.monitor.Reporting;
import dev.holdfast.http.service.monitor.ReportingOptions;
import dev.holdfast.http.url.WebUrl;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API over a runtime: answers requests, independent of the server that received them. Every
 * answer except an empty one is JSON in the envelope, and no request causes an exception.
 *
 * <pre>{@code
 * try (ObjectRuntime runtime = Holdfast.open(Path.of("data"),
 *         objects -> HttpApi.register(objects, HttpApiOptions.DEFAULT))) {
 *   ApiResponse response = new HttpApi(runtime, HttpApiOptions.DEFAULT).handle(request);
 * }
 * }</pre>
 *
 * <p>The module {@code http-server} has a server for it.
 *
 * <p>Thread-safe.
 */
public final class HttpApi {

  /** The operation that {@link #register} adds for operators. */
  public static final String OPERATION = "http-api";

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  /** The longest body of a request. */
  private static final int BODY_BYTES_MAX = 1 << 20;

  private static final String METRICS_PATH = "/metrics";
  private static final String VERSION_SEGMENT = "/v4/";

  /** What a body may be; the second is what curl says if nobody names a type. */
  private static final Pattern JSON_BODY =
      Pattern.compile(
          "(?i)(application/([\\w.-]+\\+)?json|application/x-www-form-urlencoded)\\s*(;.*)?|");

  private static final Map<String, String> FROM_ANY_ORIGIN =
      Map.of(
          "Access-Control-Allow-Origin", "*",
          "Access-Control-Allow-Methods", "POST",
          "Access-Control-Allow-Headers", "content-type");

  private final ObjectNamespace<Zone> zones;
  private final ObjectStub<Accounts> accountsStub;
  private final Accounts accounts;
  private final OperatorRequests operatorRequests;
  private final Reporting reporting;
  private final RequestRates rates;
  private final InstantSource clock;
  private final Firewall firewall;
  private final String reportBase;

  /**
   * Creates the API.
   *
   * @param runtime a runtime whose namespaces were registered with {@link #register}
   * @param options the same options
   * @throws dev.holdfast.errors.NamespaceException if the objects of the API were not registered
   */
  public HttpApi(ObjectRuntime runtime, HttpApiOptions options) {
    zones = runtime.namespace(Zone.NAMESPACE, Zone.class);
    accountsStub = runtime.namespace(Accounts.NAMESPACE, Accounts.class).stub(Accounts.NAME);
    accounts = accountsStub.blocking();
    operatorRequests = new OperatorRequests(new Operator(runtime, options.random()));
    clock = options.clock();
    reporting =
        new Reporting(
            zones::getByName,
            zone -> known(zone).monitor(),
            accounts.reportKey(),
            new ReportingOptions(
                clock,
                options.random(),
                options.sampleRate(),
                options.scorer(),
                options.fetcher(),
                options.changes()));
    firewall = new Firewall(accounts, zone -> known(zone).firewall(), options);
    rates = new RequestRates(options.clock(), options.requestsMax());
    reportBase = options.reportBase();
  }

  private HttpApi(HttpApi shared, String reportBase) {
    zones = shared.zones;
    accountsStub = shared.accountsStub;
    accounts = shared.accounts;
    operatorRequests = shared.operatorRequests;
    reporting = shared.reporting;
    firewall = shared.firewall;
    rates = shared.rates;
    clock = shared.clock;
    this.reportBase = reportBase;
  }

  /**
   * {@return this API with another endpoint for reports: for the pages of a site that browsers
   * reach at another address than the API} It shares everything else with this one, such as rates,
   * decisions, and cookies that are noted and not stored yet.
   *
   * @param base scheme, host and port; empty for the host of the page
   */
  public HttpApi withReportBase(String base) {
    return new HttpApi(this, base);
  }

  /**
   * Registers the objects behind the API, and the operation {@link #OPERATION}: it has the
   * arguments {@code method}, {@code path} and {@code body} of {@link #operate}, and answers with
   * {@code status} and {@code body}.
   *
   * @param objects the registrar of a runtime that is being opened
   * @param options the options of the API
   * @throws dev.holdfast.errors.NamespaceException if the objects of the API were registered before
   */
  public static void register(ObjectRegistrar objects, HttpApiOptions options) {
    objects
        .namespace(
            Accounts.NAMESPACE,
            Accounts.class,
            context ->
                new AccountsObject(context, options.clock(), options.random(), options.changes()))
        .namespace(
            Zone.NAMESPACE,
            Zone.class,
            context ->
                new ZoneObject(
                    context,
                    new ZoneStore(context, options.clock(), options.random(), options.changes()),
                    options.feed()))
        .operation(OPERATION, OperatorRequests.operation(options));
  }

  /**
   * {@return the OpenAPI 3.1 document of the API, as {@code GET /openapi.json} answers it without a
   * credential}
   */
  public static String openApi() {
    return OpenApi.text();
  }

  /** {@return the operations of an operator outside the API} */
  public Operator operator() {
    return operatorRequests.operator();
  }

  /**
   * Answers a request of the operator without a credential, for a command line of the same machine:
   * one that needs {@link Permission#OPERATE}, or lists the zones. Others are refused.
   *
   * @param runtime a runtime whose namespaces were registered with {@link #register}
   * @param options the same options
   * @param method the HTTP method in upper case
   * @param path the path after the version segment, such as {@code /user/tokens}
   * @param body the body; empty if there is none
   * @return the answer
   */
  public static ApiResponse operate(
      ObjectRuntime runtime, HttpApiOptions options, String method, String path, String body) {
    ApiRequest head = new ApiRequest(method, path, "", Map.of(), ByteBuffer.allocate(0));
    OperatorRequests requests = new OperatorRequests(new Operator(runtime, options.random()));
    return answer(
        head,
        () -> response(requests.answer(call(Router.route(method, path), "", body)), Map.of()));
  }

  /** {@return the firewall of all zones, for hosts that serve their pages themselves} */
  public Firewall firewall() {
    return firewall;
  }

  /**
   * Answers a request. Blocks the calling thread until the answer is durable.
   *
   * @param request the request
   * @return the answer
   */
  public ApiResponse handle(ApiRequest request) {
    return switch (admit(request)) {
      case Admission.Answered answered -> answered.response();
      case Admission.Admitted admitted when request.body().remaining() > admitted.bodyBytesMax() ->
          refusal(413, "The body is longer than " + admitted.bodyBytesMax() + " bytes");
      case Admission.Admitted admitted -> admitted.answer().apply(request.body());
    };
  }

  /**
   * Authenticates and authorizes a request before its body is read, so that no body of an
   * unauthorized client is read or kept in memory.
   *
   * @param asked the request without its body
   * @return the answer, or what the body is needed for
   */
  public Admission admit(ApiRequest asked) {
    // The server sends no body in answer to HEAD.
    ApiRequest head = asked.method().equals("HEAD") ? asked.withMethod("GET") : asked;
    if (head.path().equals(Reporting.PATH)) {
      return admitReport(head);
    }
    if (head.method().equals("GET") && head.path().endsWith("/openapi.json")) {
      return new Admission.Answered(response(ZoneReply.json(200, openApi()), Map.of()));
    }
    try {
      if (head.path().equals(METRICS_PATH)) {
        return new Admission.Answered(metrics(head));
      }
      String path = pathAfterVersion(head.path());
      Headers trace = TraceHeaders.of(head.headers());
      Accounts traced = trace.isEmpty() ? accounts : accountsStub.withHeaders(trace).blocking();
      Grant grant = new Authenticator(traced).authenticate(head::header);
      Map<String, String> rate = rates.take(grant.id());
      Route route = Router.route(head.method(), path);
      Function<Call, ZoneReply> operation = operation(route, path, grant, traced, trace);
      return new Admission.Admitted(
          grant.id(),
          BODY_BYTES_MAX,
          body ->
              answer(
                  head,
                  () -> {
                    if (body.hasRemaining()) {
                      requireJson(route, head.header("Content-Type").orElse(""));
                    }
                    return response(operation.apply(call(route, head.query(), text(body))), rate);
                  }));
    } catch (RuntimeException | StackOverflowError e) {
      return new Admission.Answered(failure(head, e));
    }
  }

  /** What all zones have decided: not by rule, since a credential may be for one zone. */
  private ApiResponse metrics(ApiRequest head) {
    if (!head.method().equals("GET")) {
      throw Router.notAllowed("GET, HEAD");
    }
    new Authenticator(accounts).authenticate(head::header);
    Map<String, Long> decisions = firewall.decisions();
    StringBuilder text = new StringBuilder("# TYPE holdfast_http_decisions_total counter\n");
    for (FirewallAction action : FirewallAction.values()) {
      Long number = decisions.get(action.word());
      if (number != null) {
        text.append(
            "holdfast_http_decisions_total{action=\"%s\"} %d\n".formatted(action.word(), number));
      }
    }
    text.append(
        """
        # TYPE holdfast_http_failed_expressions_total counter
        holdfast_http_failed_expressions_total %d
        """
            .formatted(firewall.failures()));
    return new ApiResponse(
        200, Map.of("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), text.toString());
  }

  private static ApiResponse answer(ApiRequest head, Supplier<ApiResponse> answer) {
    try {
      return answer.get();
    } catch (RuntimeException | StackOverflowError e) {
      return failure(head, e);
    }
  }

  private static ApiResponse failure(ApiRequest head, Throwable failure) {
    return switch (failure) {
      case ApiException refused -> refusal(refused);
      case RefusedException refused -> refusal(ApiException.of(refused));
      case ObjectOverloadedException busy ->
          refusal(
              new ApiException(429, 10429, "Too many requests for this zone")
                  .withHeaders(Map.of("Retry-After", "1")));
      default -> {
        Level level = failure instanceof HoldfastException ? Level.WARNING : Level.ERROR;
        LOG.log(level, head.method() + " " + head.path() + " failed", failure);
        yield refusal(500, "Internal error");
      }
    };
  }

  /**
   * Returns the headers to add to the response for a page, and notes its cookies: for hosts that
   * serve their pages themselves. Calls no object, unless the zone has changed; the cookies that
   * were noted are stored about once a minute, on a thread of their own.
   *
   * @param zoneId the zone of the page
   * @param request the request for the page; its path is an absolute URL
   * @param responseHeaders the headers of the response so far
   * @return the headers to add, each as a separate line
   * @throws IllegalArgumentException if there is no such zone, the URL is malformed, its host is
   *     not of the zone, or the expressions of its policies take too much work with this request:
   *     then the policies of the page are unknown, so answer with an error instead of the page
   */
  public List<Header> pageHeaders(
      String zoneId, ApiRequest request, Map<String, List<String>> responseHeaders) {
    try {
      WebUrl url = DescribedRequest.page(request.path(), "");
      PageRequest page = PageRequest.of(request.method(), url, request.headers(), clock.instant());
      return reporting.headers(reportBase, zoneId, page, responseHeaders).stream()
          .map(header -> new Header(header.name(), header.value()))
          .toList();
    } catch (RefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * {@return whether a worker asks for its script, which gets the headers of a page, too}
   *
   * @param headers the headers of the request, by name in lower case
   */
  public static boolean isOfWorker(Map<String, List<String>> headers) {
    return Reporting.isWorker(headers);
  }

  /**
   * Stores the cookies of pages that were noted in memory and are not stored yet. A server calls it
   * when it closes.
   *
   * @throws dev.holdfast.HoldfastException if a zone cannot be called
   */
  public void storeCookies() {
    reporting.storeCookies();
  }

  private Admission admitReport(ApiRequest head) {
    ApiResponse taken = response(ZoneReply.noContent(), FROM_ANY_ORIGIN);
    if (head.method().equals("OPTIONS")) {
      return new Admission.Answered(taken);
    }
    if (!head.method().equals("POST")) {
      return new Admission.Answered(refusal(Router.notAllowed("OPTIONS, POST")));
    }
    ReportTarget target = reporting.target(head.query());
    if (target == null) {
      // The client learns nothing from the answer.
      return new Admission.Answered(taken);
    }
    return new Admission.Admitted(
        Reporting.PATH,
        Reporting.BODY_BYTES_MAX,
        body ->
            answer(
                head,
                () -> {
                  reporting.take(target, body, head.client());
                  return taken;
                }));
  }

  /** {@return whether the objects behind the API answer} */
  public boolean isHealthy() {
    try {
      accounts.hasCredentials();
      return true;
    } catch (HoldfastException e) {
      LOG.log(Level.WARNING, "not healthy", e);
      return false;
    }
  }

  /** Returns the operation to run, if it is permitted; everything except the body was checked. */
  private Function<Call, ZoneReply> operation(
      Route route, String path, Grant grant, Accounts traced, Headers trace) {
    Permission permission = route.endpoint().permission();
    if (permission == Permission.OPERATE) {
      requirePermission(grant.zones().isEmpty() && grant.allows(permission));
      return operatorRequests::answer;
    }
    if (route.ids().isEmpty()) {
      requirePermission(permission == null || grant.allows(permission));
      return call -> answerWithoutZone(call, grant, traced);
    }
    String zone = route.ids().getFirst();
    if (!grant.coversZone(zone)) {
      throw new ApiException(403, 9109, "Unauthorized to access requested resource");
    }
    requirePermission(
        permission == null
            || grant.allows(permission)
            || (route.endpoint().isForProxies() && grant.allows(Permission.PROXY)));
    ZoneEntry entry = traced.zone(zone);
    if (entry == null) {
      throw ApiException.noRoute(path);
    }
    return switch (route.endpoint().name()) {
      case "get_zone" -> call -> Envelope.ok(tree(entry));
      case "generate_headers" -> call -> generateHeaders(zone, call.fields());
      case "simulate_firewall" -> call -> Envelope.ok(firewall.simulate(zone, call.fields()));
      case "list_cookies", "get_cookie" ->
          call -> {
            reporting.storeCookies(zone);
            return zone(zone, trace).handle(call.request());
          };
      default -> call -> zone(zone, trace).handle(call.request());
    };
  }

  private static void requirePermission(boolean isAllowed) {
    if (!isAllowed) {
      throw new ApiException(403, 10000, "Authentication error");
    }
  }

  private static void requireJson(Route route, String type) {
    if (!route.endpoint().bodySchema().isMissingNode()
        && !JSON_BODY.matcher(type.strip()).matches()) {
      throw new ApiException(415, 10415, "The body must be application/json");
    }
  }

  /** Objects of zones get the identifiers after their own. */
  private static Call call(Route route, String query, String body) {
    boolean isOfZone =
        !route.ids().isEmpty() && route.endpoint().permission() != Permission.OPERATE;
    List<String> ids = route.ids().subList(isOfZone ? 1 : 0, route.ids().size());
    return new Call(new ZoneCall(route.endpoint().name(), List.copyOf(ids), query, body));
  }

  private Zone known(String id) {
    if (!Ids.isId(id) || accounts.zone(id) == null) {
      throw new IllegalArgumentException("there is no zone " + id);
    }
    return zones.getByName(id);
  }

  private Zone zone(String id, Headers trace) {
    ObjectStub<Zone> stub = zones.stub(id);
    return (trace.isEmpty() ? stub : stub.withHeaders(trace)).blocking();
  }

  private ZoneReply generateHeaders(String zone, Fields description) {
    DescribedRequest asked = DescribedRequest.read(description, clock.instant());
    PageRequest page = new PageRequest(asked.url(), asked.fields(), asked.site().headers());
    Map<String, List<String>> response = DescribedRequest.headers(description, "response_headers");
    ObjectNode result = Json.object();
    List<PageHeader> headers = reporting.headers(reportBase, zone, page, response);
    result.putArray("headers").addAll(headers.stream().map(Json::tree).toList());
    return Envelope.ok(result);
  }

  private static ZoneReply answerWithoutZone(Call call, Grant grant, Accounts traced) {
    return switch (call.endpoint().name()) {
      case "verify_token" ->
          Envelope.ok(Json.object().put("id", grant.id()).put("status", "active"));
      case "list_zones" -> {
        String name = call.query().text("name");
        yield Envelope.shortList(
            traced.zones().stream()
                .filter(zone -> grant.coversZone(zone.id()))
                .filter(zone -> name == null || name.equalsIgnoreCase(zone.name()))
                .map(HttpApi::tree),
            call.query()::pageOfAll);
      }
      case "validate_expression" -> {
        String expression = call.query().text("expression");
        if (expression == null) {
          throw RefusedException.badParameter("expression", "given");
        }
        yield validate(expression);
      }
      case "validate_expression_of_body" -> validate(call.fields().text("expression"));
      default -> throw new IllegalStateException(call.endpoint() + " has no zone");
    };
  }

  private static ZoneReply validate(String expression) {
    try {
      FilterExpression.parse(expression);
      return Envelope.ok(NullNode.instance);
    } catch (FilterSyntaxException e) {
      throw new ApiException(400, 10101, String.valueOf(e.getMessage()));
    }
  }

  static ObjectNode tree(ZoneEntry zone) {
    return Json.tree(zone).put("status", "active");
  }

  /** The base path may be anything that ends with the version segment. */
  private static String pathAfterVersion(String path) {
    int version = path.lastIndexOf(VERSION_SEGMENT);
    if (version < 0) {
      throw ApiException.noRoute(path);
    }
    return path.substring(version + VERSION_SEGMENT.length() - 1);
  }

  private static String text(ByteBuffer body) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(body.duplicate()).toString();
    } catch (CharacterCodingException e) {
      throw RefusedException.invalidJson("the body is not UTF-8", "");
    }
  }

  /**
   * {@return the answer to a request that a server refuses itself, in the envelope of the API}
   *
   * @param status the HTTP status, 400 or more
   * @param reason what is wrong; the client reads it
   */
  public static ApiResponse refusal(int status, String reason) {
    ApiError error =
        switch (status) {
          case 413, 414, 431 -> new ApiError(10006, reason);
          case 500, 503 -> new ApiError(10013, reason);
          case 429 -> new ApiError(10429, "Too many requests: " + reason);
          default -> new ApiError(10005, "Malformed request: " + reason);
        };
    ApiException refused = new ApiException(status, error);
    return refusal(status == 429 ? refused.withHeaders(Map.of("Retry-After", "1")) : refused);
  }

  private static ApiResponse refusal(ApiException refused) {
    return response(Envelope.failure(refused), refused.headers());
  }

  private static ApiResponse response(ZoneReply reply, Map<String, String> headers) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    if (!reply.contentType().isEmpty()) {
      all.put("Content-Type", reply.contentType());
    }
    return new ApiResponse(reply.status(), all, reply.body());
  }
}
