package dev.holdfast.http;

import dev.holdfast.OperatorOperation;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.internal.accounts.Secret;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.object.CredentialEntry;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneProfile;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The requests of the API that need {@link Permission#OPERATE}. Thread-safe. */
record OperatorRequests(Operator operator) {

  /** Later times have no common form in ISO 8601. */
  private static final Instant EXPIRY_END = Instant.parse("9999-12-31T00:00:00Z");

  /** {@return the requests of operators as an operation of the operator's socket} */
  static OperatorOperation operation(HttpApiOptions options) {
    return (runtime, arguments) -> {
      ApiResponse response =
          HttpApi.operate(
              runtime,
              options,
              String.valueOf(arguments.get("method")),
              String.valueOf(arguments.get("path")),
              String.valueOf(arguments.get("body")));
      Map<String, @Nullable Object> answer = new HashMap<>();
      answer.put("status", response.status());
      answer.put("body", response.body());
      return answer;
    };
  }

  /**
   * Answers a request.
   *
   * @throws ApiException if it is refused; nothing was changed
   */
  ZoneReply answer(Call call) {
    try {
      return switch (call.endpoint().name()) {
        case "list_zones" ->
            Envelope.shortList(
                operator.zones().stream().map(HttpApi::tree), call.query()::pageOfAll);
        case "create_zone" -> configured(operator.newId(), call.fields());
        case "get_zone_profile" -> Envelope.ok(profile(call));
        case "update_zone_profile" -> configured(profile(call).id(), call.fields());
        case "import_managed_rules" -> operator.imported(profile(call).id(), call.request().body());
        case "list_tokens" ->
            Envelope.shortList(
                operator.credentials().stream().map(OperatorRequests::tree),
                call.query()::pageOfAll);
        case "create_token" -> created(call.fields());
        case "get_token" -> Envelope.ok(tree(credential(call)));
        case "update_token" -> {
          Instant expires = expiry(call.fields());
          operator.expire(credential(call).grant().id(), expires);
          yield Envelope.ok(tree(credential(call)));
        }
        case "rotate_token" -> {
          String id = credential(call).grant().id();
          String secret = operator.rotate(id).orElseThrow(() -> unknown(id));
          yield Envelope.ok(tree(credential(call)).put("value", secret));
        }
        case "revoke_token" -> {
          String id = credential(call).grant().id();
          operator.revoke(id);
          yield Envelope.ok(Json.object().put("id", id));
        }
        default -> throw new ApiException(403, 10000, "Authentication error");
      };
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, 10002, String.valueOf(e.getMessage()));
    }
  }

  private ZoneProfile profile(Call call) {
    String id = call.id();
    ZoneProfile profile = operator.profile(id);
    if (profile == null) {
      throw RefusedException.notFound("no zone " + id);
    }
    return profile;
  }

  private ZoneReply configured(String id, Fields body) {
    String givenId = body.optionalText("id");
    if (givenId != null && !givenId.equals(id)) {
      throw RefusedException.invalidJson("the id belongs to another zone", body.at("id"));
    }
    Plan plan = Plan.valueOf(body.text("plan", "enterprise").toUpperCase(Locale.ROOT));
    ZoneProfile usual = ZoneProfile.of(id, body.text("name"), plan);
    ZoneProfile profile = Json.read(Json.merge(Json.tree(usual), body.tree()), ZoneProfile.class);
    operator.configure(profile);
    return Envelope.ok(profile);
  }

  private ZoneReply created(Fields body) {
    List<Permission> given =
        body.texts("permissions").stream()
            .map(name -> Permission.valueOf(name.toUpperCase(Locale.ROOT)))
            .toList();
    List<Permission> permissions = body.has("permissions") ? given : Permission.OF_ZONES;
    List<String> forZones = body.texts("zones");
    Instant expires = expiry(body);
    String owner = body.optionalText("email");
    String secret =
        owner == null
            ? operator.createToken(forZones, permissions)
            : operator.createKey(owner, forZones, permissions);
    String id = owner == null ? Objects.requireNonNull(Secret.idOf(secret)) : owner;
    // A crash in between leaves a secret that no one has received.
    operator.expire(id, expires);
    return Envelope.ok(tree(credential(id)).put("value", secret));
  }

  private static @Nullable Instant expiry(Fields body) {
    String text = body.optionalText("expires_on");
    try {
      Instant time = text == null ? null : Instant.parse(text);
      if (time == null || (time.isAfter(Instant.EPOCH) && time.isBefore(EXPIRY_END))) {
        return time;
      }
    } catch (DateTimeParseException e) {
      // Refused below, like a time out of the range.
    }
    throw RefusedException.invalidJson(
        "expires_on is a time such as 2027-01-31T12:00:00Z", body.at("expires_on"));
  }

  private CredentialEntry credential(Call call) {
    String escaped = call.id();
    try {
      // The owner of a key may have characters that a path escapes.
      return credential(URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw unknown(escaped);
    }
  }

  private CredentialEntry credential(String id) {
    return operator.credentials().stream()
        .filter(each -> each.grant().id().equals(id))
        .findFirst()
        .orElseThrow(() -> unknown(id));
  }

  private static RefusedException unknown(String id) {
    return RefusedException.notFound("no token or key " + id);
  }

  private static ObjectNode tree(CredentialEntry entry) {
    Instant expires = entry.expires();
    return Json.tree(entry.grant())
        .put("kind", entry.isKey() ? "key" : "token")
        .put("expires_on", expires == null ? null : expires.toString());
  }
}
