package dev.holdfast.server;

import dev.holdfast.launcher.PlainText;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The verb {@code zone}. Created and populated by the command line library. */
@Command(
    name = "zone",
    description =
        "Creates, changes and lists zones, and imports their previous managed rules, also while the"
            + " server runs.")
public final class ZoneCommand {

  /** Creates the command; called by the command line library. */
  public ZoneCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ZoneCommand(), options);
  }

  @Command(name = "create", description = "Creates a zone and prints its id.")
  int create(
      @Parameters(paramLabel = "NAME", description = "The domain of the zone.") String name,
      @Option(
              names = "--plan",
              paramLabel = "PLAN",
              defaultValue = "enterprise",
              description = "free, pro, business or enterprise; default: ${DEFAULT-VALUE}.")
          String plan,
      @Mixin ApiDirectory directory)
      throws IOException {
    try (OperatorClient operator = directory.operator()) {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("name", name).put("plan", plan.toLowerCase(Locale.ROOT));
      System.out.println(operator.ask("POST", "/zones", body.toString()).get("id").stringValue());
    }
    return 0;
  }

  @Command(
      name = "change",
      description = "Changes the plan and the quotas of a zone, and prints its profile.")
  int change(
      @Parameters(paramLabel = "ID", description = "The zone.") String id,
      @Option(
              names = "--plan",
              paramLabel = "PLAN",
              description =
                  "free, pro, business or enterprise; with its quota of firewall rules, unless"
                      + " --firewall-rules is given.")
          @Nullable String plan,
      @Option(
              names = "--firewall-rules",
              paramLabel = "N",
              description = "The quota of firewall rules.")
          @Nullable Integer firewallRules,
      @Option(names = "--policies", paramLabel = "N", description = "The quota of policies.")
          @Nullable Integer policies,
      @Mixin ApiDirectory directory)
      throws IOException {
    try (OperatorClient operator = directory.operator()) {
      String path = "/zones/" + id + "/profile";
      ObjectNode profile = (ObjectNode) operator.ask("GET", path, "");
      if (plan != null) {
        profile.put("plan", plan.toLowerCase(Locale.ROOT)).remove("firewall_rules_max");
      }
      if (firewallRules != null) {
        profile.put("firewall_rules_max", firewallRules);
      }
      if (policies != null) {
        profile.put("policies_max", policies);
      }
      System.out.println(operator.ask("PUT", path, profile.toString()));
    }
    return 0;
  }

  @Command(
      name = "import",
      description = "Replaces the previous managed rules of a zone, for a migration.")
  int importLegacy(
      @Parameters(paramLabel = "FILE", description = "JSON, see docs/formats.") Path file,
      @Option(names = "--zone", paramLabel = "ID", description = "The zone; default: the only one.")
          @Nullable String zone,
      @Mixin ApiDirectory directory)
      throws IOException {
    try (OperatorClient operator = directory.operator()) {
      String id = zone;
      if (id == null) {
        JsonNode zones = operator.ask("GET", "/zones", "");
        if (zones.size() != 1) {
          throw new WrongInputException("there is not exactly one zone; name it with --zone");
        }
        id = zones.get(0).get("id").stringValue();
      }
      importInto(operator, id, file);
      System.out.println("imported into zone " + id);
    }
    return 0;
  }

  private static void importInto(OperatorClient operator, String id, Path file) {
    try {
      operator.ask("PUT", "/zones/" + id + "/waf_migration/import", Files.readString(file));
    } catch (IOException e) {
      throw new WrongInputException(file + ": " + e.getMessage());
    } catch (WrongInputException e) {
      throw new WrongInputException(file + ": the document is refused: " + e.getMessage());
    }
  }

  @Command(name = "list", description = "Prints the zones.")
  int list(@Mixin ApiDirectory directory) throws IOException {
    try (OperatorClient operator = directory.operator()) {
      for (JsonNode zone : operator.ask("GET", "/zones", "")) {
        System.out.println(
            zone.get("id").stringValue() + " " + PlainText.line(zone.get("name").stringValue()));
      }
    }
    return 0;
  }
}
