package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operate.Shop.Account;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A bad release has changed, made and deleted accounts; all whose names begin alike go back. */
final class RestoreObjectsTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir private Path temporary;

  private final VirtualClock clock = new VirtualClock();
  private Path data;
  private Instant good;

  @BeforeEach
  void write() {
    data = temporary.resolve("demo");
    try (ObjectRuntime runtime = open()) {
      ObjectNamespace<Account> accounts = accounts(runtime);
      for (String name : List.of("de-ann", "de-bob", "de-cleo", "fr-dan")) {
        accounts.getByName(name).add(1);
      }
      clock.advance(Duration.ofSeconds(10));
      good = clock.instant();
      clock.advance(Duration.ofSeconds(10));
      accounts.getByName("de-ann").add(100);
      accounts.getByName("de-ann").add(100);
      accounts.getByName("de-new").add(100);
      accounts.getByName("fr-dan").add(100);
      assertThat(runtime.admin().delete("accounts", accounts.idFromName("de-bob"))).isTrue();
      clock.advance(Duration.ofSeconds(10));
    }
  }

  private ObjectRuntime open() {
    return Holdfast.open(
        data,
        clock,
        objects ->
            objects.namespace("accounts", Account.class, Shop::account).options(Shop.SERVED));
  }

  private static ObjectNamespace<Account> accounts(ObjectRuntime runtime) {
    return runtime.namespace("accounts", Account.class);
  }

  private CommandLineRun restore(String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("restore-objects", "accounts", good.toString(), "--prefix", "de-"));
    arguments.addAll(List.of(options));
    return inspect(arguments.toArray(String[]::new));
  }

  private CommandLineRun inspect(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", data.toString()));
    return CommandLineRun.inspect(all.toArray(String[]::new));
  }

  private static void requireRestored(ObjectRuntime runtime) {
    ObjectNamespace<Account> accounts = accounts(runtime);
    assertThat(accounts.getByName("de-ann").add(1)).isEqualTo(2);
    assertThat(accounts.getByName("de-bob").add(1)).as("was deleted").isEqualTo(2);
    assertThat(accounts.getByName("de-cleo").add(1)).isEqualTo(2);
    assertThat(runtime.admin().exists("accounts", accounts.idFromName("de-new"))).isFalse();
    assertThat(accounts.getByName("fr-dan").add(1)).as("has another prefix").isEqualTo(102);
  }

  @Test
  void dryRunListsWhatWouldBeRestored() {
    CommandLineRun run = restore("--dry-run", "--json");

    assertThat(run.code()).isZero();
    assertThat(run.err())
        .contains("2 objects would be restored. Nothing was changed.")
        .contains("1 objects were deleted since");
    JsonNode listed = JSON.readTree(run.out());
    assertThat(listed.valueStream().map(each -> each.get("name").stringValue()))
        .containsExactly("de-ann", "de-new");
    assertThat(listed.get(0).get("changes").intValue()).isEqualTo(2);
    try (ObjectRuntime runtime = open()) {
      assertThat(accounts(runtime).getByName("de-ann").add(0)).isEqualTo(201);
    }
  }

  @Test
  void objectsOfAStoppedDirectoryGoBack() {
    assertThat(restore().code()).as("without --yes").isEqualTo(2);
    CommandLineRun run = restore("--deleted", "--yes");

    assertThat(run.code()).isZero();
    assertThat(run.err()).contains("3 objects were restored.");
    try (ObjectRuntime runtime = open()) {
      requireRestored(runtime);
    }
  }

  @Test
  void objectsOfARunningProcessGoBackAndTheRestOfThemWhenOneIsBeingPurged() {
    try (ObjectRuntime runtime = open()) {
      CompletableFuture<Void> purged = purgeAnn(runtime);
      requireRestoredExceptAnn(runtime);
      assertThat(purged).isNotCompletedExceptionally();
    }
  }

  /** The journal has nothing of the object any more, which was changed all the same. */
  @Test
  void objectWhosePurgeHasEndedIsNamed() {
    try (ObjectRuntime runtime = open()) {
      purgeAnn(runtime).join();
      requireRestoredExceptAnn(runtime);
    }
  }

  private static CompletableFuture<Void> purgeAnn(ObjectRuntime runtime) {
    return runtime.admin().purgeHistory("accounts", accounts(runtime).idFromName("de-ann"));
  }

  private void requireRestoredExceptAnn(ObjectRuntime runtime) {
    CommandLineRun run = restore("--deleted", "--yes", "--json");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("2 objects were restored; 1 could not be restored");
    JsonNode failed =
        JSON.readTree(run.out())
            .valueStream()
            .filter(each -> !each.get("error").isNull())
            .findFirst()
            .orElseThrow();
    assertThat(failed.get("name").stringValue()).isEqualTo("de-ann");
    assertThat(failed.get("error").stringValue()).contains("purged");
    assertThat(failed.get("undo").isNull()).isTrue();
    assertThat(accounts(runtime).getByName("de-bob").add(1)).isEqualTo(2);
    assertThat(accounts(runtime).getByName("de-ann").add(0)).isEqualTo(201);
  }

  @Test
  void momentBeforeTheRecoveryWindowIsRefusedForEachObject() {
    try (ObjectRuntime _ = open()) {
      CommandLineRun run =
          inspect("restore-objects", "accounts", "2001-01-01T00:00:00Z", "--dry-run");

      assertThat(run.err()).contains("0 objects would be restored; 5 more cannot be restored");
      assertThat(run.out()).contains("the recovery window of the namespace is");
      assertThat(run.code()).isEqualTo(1);
    }
  }

  /** A shard of a cluster may have its first record long after the others. */
  @Test
  void journalThatKeepsAllReachesBackBeforeItsFirstRecord() {
    good = good.minus(Duration.ofMinutes(1));
    CommandLineRun run = restore("--dry-run");

    assertThat(run.err()).contains("3 objects would be restored. Nothing was changed.");
    assertThat(run.code()).isZero();
    assertThat(inspect("changed", "--since", good.toString()).err())
        .doesNotContain("The journal keeps all changes since");
  }

  @Test
  void requestedRestoreIsWithdrawnAlsoInAStoppedDirectory() {
    try (ObjectRuntime runtime = open()) {
      request(runtime);
      assertThat(inspect("withdraw", "accounts", "de-ann").out()).contains("withdrawn: true");
      assertThat(inspect("withdraw", "accounts", "de-ann").out()).contains("withdrawn: false");
      assertThat(runtime.admin().reset("accounts", accounts(runtime).idFromName("de-ann")))
          .isFalse();
      request(runtime);
    }
    assertThat(inspect("withdraw", "accounts", "de-ann").out()).contains("withdrawn: true");
    try (ObjectRuntime runtime = open()) {
      assertThat(accounts(runtime).getByName("de-ann").add(0)).isEqualTo(201);
    }
  }

  private void request(ObjectRuntime runtime) {
    var recovery = runtime.recovery("accounts", accounts(runtime).idFromName("de-ann"));
    recovery.restoreOnNextSession(recovery.bookmarkForTime(good));
  }
}
