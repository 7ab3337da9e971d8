package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.Operator;
import dev.holdfast.http.object.Plan;
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

/** The verb {@code zone}. Created and populated by the command line library. */
@Command(
    name = "zone",
    description = "Creates, lists and imports zones while the server is stopped.")
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
      @Parameters(paramLabel = "NAME", description = "Its domain.") String name,
      @Option(
              names = "--plan",
              paramLabel = "PLAN",
              defaultValue = "enterprise",
              description = "free, pro, business or enterprise; default: ${DEFAULT-VALUE}.")
          String plan,
      @Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      Plan chosen = Plan.valueOf(plan.toUpperCase(Locale.ROOT));
      System.out.println(ApiDirectory.api(runtime).operator().createZone(name, chosen).id());
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
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
      @Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      Operator operator = ApiDirectory.api(runtime).operator();
      String id = zone;
      if (id == null) {
        if (operator.zones().size() != 1) {
          throw new WrongInputException("there is not exactly one zone; name it with --zone");
        }
        id = operator.zones().getFirst().id();
      }
      operator.importLegacy(id, Files.readString(file));
      System.out.println("imported into zone " + id);
    } catch (IOException | IllegalArgumentException e) {
      throw new WrongInputException(file + ": " + e.getMessage());
    }
    return 0;
  }

  @Command(name = "list", description = "Prints the zones.")
  int list(@Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      ApiDirectory.api(runtime)
          .operator()
          .zones()
          .forEach(zone -> System.out.println(zone.id() + " " + zone.name()));
    }
    return 0;
  }
}
