package dev.holdfast.server;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.Operator;
import dev.holdfast.http.object.CredentialEntry;
import dev.holdfast.http.object.Grant;
import dev.holdfast.http.object.Permission;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import java.time.Duration;
import java.time.Instant;
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
    description = "Creates, lists, renews and revokes credentials while the server is stopped.")
public final class TokenCommand {

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
              description = "Permissions such as page_monitor_read, with commas; default: all.")
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
      @Mixin ApiDirectory directory) {
    List<String> forZones = zones == null ? List.of() : zones;
    List<Permission> allowed =
        permissions == null
            ? Arrays.asList(Permission.values())
            : permissions.stream().map(TokenCommand::permission).toList();
    if (days != null && (days < 1 || days > DAYS_MAX)) {
      throw new WrongInputException("--days is from 1 to " + DAYS_MAX + ": " + days);
    }
    try (ObjectRuntime runtime = directory.open()) {
      Operator operator = ApiDirectory.api(runtime).operator();
      String secret =
          email == null
              ? operator.createToken(forZones, allowed)
              : operator.createKey(email, forZones, allowed);
      if (days != null) {
        Instant expires = HttpApiOptions.DEFAULT.clock().instant().plus(Duration.ofDays(days));
        operator.expire(email == null ? secret.split("_", -1)[1] : email, expires);
      }
      System.out.println(secret);
    }
    return 0;
  }

  @Command(
      name = "list",
      description =
          "Prints a line for each token and key: its id or owner, when it expires, its zones and"
              + " permissions, separated by tabs.")
  int list(@Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      for (CredentialEntry each : ApiDirectory.api(runtime).operator().credentials()) {
        Grant grant = each.grant();
        System.out.println(
            String.join(
                "\t",
                grant.id(),
                each.expires() == null ? "never" : each.expires().toString(),
                grant.zones().isEmpty() ? "all zones" : String.join(",", grant.zones()),
                String.join(
                    ",",
                    grant.permissions().stream()
                        .map(allowed -> allowed.name().toLowerCase(Locale.ROOT))
                        .toList())));
      }
    }
    return 0;
  }

  @Command(
      name = "rotate",
      description =
          "Replaces the secret of a token or key, and prints the new one. It is not shown again.")
  int rotate(
      @Parameters(
              paramLabel = "ID",
              description = "The second part of the token, or the owner of the key.")
          String id,
      @Mixin ApiDirectory directory) {
    try (ObjectRuntime runtime = directory.open()) {
      System.out.println(
          ApiDirectory.api(runtime)
              .operator()
              .rotate(id)
              .orElseThrow(() -> new WrongInputException("no token or key " + id)));
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
