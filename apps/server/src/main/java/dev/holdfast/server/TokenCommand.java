package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.object.Permission;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The verb {@code token}. Created and populated by the command line library. */
@Command(
    name = "token",
    description = "Creates and revokes credentials while the server is stopped.")
public final class TokenCommand {

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
              description = "Permissions such as page_monitor_read, with commas; default: all.")
          @Nullable List<String> permissions,
      @Option(
              names = "--email",
              paramLabel = "EMAIL",
              description = "Creates a key for this owner instead of a token.")
          @Nullable String email,
      @Mixin ApiDirectory directory) {
    List<String> forZones = zones == null ? List.of() : zones;
    List<Permission> allowed =
        permissions == null
            ? Arrays.asList(Permission.values())
            : permissions.stream().map(TokenCommand::permission).toList();
    try (ObjectRuntime runtime = directory.open()) {
      var operator = ApiDirectory.api(runtime).operator();
      System.out.println(
          email == null
              ? operator.createToken(forZones, allowed)
              : operator.createKey(email, forZones, allowed));
    }
    return 0;
  }

  @Command(name = "revoke", description = "Revokes a token or key.")
  int revoke(
      @Parameters(
              paramLabel = "ID",
              description = "The second part of the token, or the owner of the key.")
          String id,
      @Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      if (!ApiDirectory.api(runtime).operator().revoke(id)) {
        throw new WrongInputException("no token or key " + id);
      }
    }
    return 0;
  }

  private static Permission permission(String name) {
    try {
      return Permission.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(
          "no permission " + name + "; there are " + Arrays.toString(Permission.values()));
    }
  }
}
