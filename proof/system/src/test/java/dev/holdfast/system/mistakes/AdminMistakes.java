package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.storage.ListOptions;
import java.util.List;

/** Operators. */
final class AdminMistakes {

  private AdminMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of(
            "a look into a namespace that is not registered",
            host -> admin(host).keys("carts", probe(host), ListOptions.ALL)),
        Mistake.of(
            "a look into an object of another namespace",
            host -> admin(host).size(Host.PAIRS, probe(host))),
        Mistake.of(
            "an object that counts versions",
            host -> host.inside(Host.PROBES, (_, _) -> admin(host).versions(Host.PROBES))),
        Mistake.of(
            "the migration of a namespace that is not registered",
            host -> admin(host).migrateAll("carts", MigrationOptions.DEFAULT)),
        Mistake.of(
            "a migration that continues from nowhere",
            host ->
                admin(host)
                    .migrateAll(Host.PROBES, MigrationOptions.DEFAULT.withCursor("page 2"))));
  }

  private static ObjectAdmin admin(Host host) {
    return host.runtime().admin();
  }

  private static ObjectId probe(Host host) {
    return host.runtime().namespace(Host.PROBES, Host.Probe.class).idFromName("one");
  }
}
