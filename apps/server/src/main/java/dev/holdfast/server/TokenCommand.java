package dev.holdfast.server;

import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The verb {@code token}. Created and populated by the command line library. */
@Command(
    name = "token",
    description = "Creates, lists, renews and revokes credentials, also while the server runs.")
public final class TokenCommand {

  private static final String ID = "The second part of the token, or the owner of the key.";
  private static final int DAYS_MAX = 36_500;

  /** Creates the command; called by the command line library. */
  public TokenCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new TokenCommand(), options);
  }

  @Command(
      name = "create",
      description =
          "Creates a token, or a key for X-Auth-Key, and prints it. It is not shown again.")
  int create(
      @Option(
              names = "--zone",
              paramLabel = "ID",
              description = "A zone that it is valid for; may be repeated; default: all.")
          @Nullable List<String> zones,
      @Option(
              names = "--allow",
              paramLabel = "PERMISSION",
              split = ",",
              description =
                  "Permissions such as page_monitor_read, with commas; default: all in zones, and"
                      + " not operate.")
          @Nullable List<String> permissions,
      @Option(
              names = "--email",
              paramLabel = "EMAIL",
              description = "Creates a key for this owner instead of a token.")
          @Nullable String email,
      @Option(
              names = "--days",
              paramLabel = "N",
              description = "The days after which it is refused; default: never.")
          @Nullable Integer days,
      @Mixin ApiDirectory directory)
      throws IOException {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (email != null) {
      body.put("email", email);
    }
    if (days != null) {
      body.put("expires_on", afterDays(days));
    }
    addAll(body, "zones", zones, name -> name);
    addAll(body, "permissions", permissions, name -> name.toLowerCase(Locale.ROOT));
    try (OperatorClient operator = directory.operator()) {
      JsonNode created = operator.ask("POST", "/user/tokens", body.toString());
      System.out.println(created.get("value").stringValue());
    }
    return 0;
  }

  private static void addAll(
      ObjectNode body, String member, @Nullable List<String> all, UnaryOperator<String> written) {
    if (all != null) {
      ArrayNode list = body.putArray(member);
      all.forEach(each -> list.add(written.apply(each)));
    }
  }

  private static String afterDays(int days) {
    if (days < 1 || days > DAYS_MAX) {
      throw new WrongInputException("--days is from 1 to " + DAYS_MAX + ": " + days);
    }
    return HttpApiOptions.DEFAULT.clock().instant().plus(Duration.ofDays(days)).toString();
  }

  @Command(name = "expire", description = "Changes when a token or key is refused.")
  int expire(
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--days",
              paramLabel = "N",
              description = "The days after which it is refused; default: never.")
          @Nullable Integer days,
      @Mixin ApiDirectory directory)
      throws IOException {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("expires_on", days == null ? null : afterDays(days));
    try (OperatorClient operator = directory.operator()) {
      operator.ask("PATCH", path(id), body.toString());
    }
    return 0;
  }

  @Command(
      name = "list",
      description =
          "Prints a line for each token and key: its id or owner, when it expires, its zones and"
              + " permissions, separated by tabs.")
  int list(@Mixin ApiDirectory directory) throws IOException {
    try (OperatorClient operator = directory.operator()) {
      for (JsonNode each : operator.ask("GET", "/user/tokens", "")) {
        System.out.println(
            String.join(
                "\t",
                each.get("id").stringValue(),
                each.get("expires_on").asString("never"),
                each.get("zones").isEmpty() ? "all zones" : joined(each.get("zones")),
                joined(each.get("permissions"))));
      }
    }
    return 0;
  }

  private static String joined(JsonNode texts) {
    return String.join(",", texts.valueStream().map(JsonNode::stringValue).toList());
  }

  private static String path(String id) {
    return "/user/tokens/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Command(
      name = "rotate",
      description =
          "Replaces the secret of a token or key, and prints the new one. It is not shown again.")
  int rotate(
      @Parameters(paramLabel = "ID", description = ID) String id, @Mixin ApiDirectory directory)
      throws IOException {
    try (OperatorClient operator = directory.operator()) {
      System.out.println(operator.ask("PUT", path(id) + "/value", "").get("value").stringValue());
    }
    return 0;
  }

  @Command(name = "revoke", description = "Revokes a token or key.")
  int revoke(
      @Parameters(paramLabel = "ID", description = ID) String id, @Mixin ApiDirectory directory)
      throws IOException {
    try (OperatorClient operator = directory.operator()) {
      operator.ask("DELETE", path(id), "");
    }
    return 0;
  }
}
