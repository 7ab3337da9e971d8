package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectId;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Bookmarks, forks and files of objects. */
final class RecoveryMistakes {

  private RecoveryMistakes() {}

  /** Uses the past of an object that has one pair. */
  @FunctionalInterface
  private interface Use {
    void run(Host host, ObjectRecovery past) throws Exception;
  }

  static List<Mistake> all() {
    return List.of(
        past("a bookmark that is none", (_, past) -> past.restoreOnNextSession("yesterday")),
        past(
            "a bookmark of another object",
            (host, past) -> {
              List<String> bookmarks = new ArrayList<>();
              ObjectId other =
                  host.stub(
                          Host.SLEEPERS,
                          (context, _) -> {
                            ObjectStorage storage = context.storage();
                            storage.put("key", 1L);
                            bookmarks.add(storage.getCurrentBookmark());
                            return null;
                          })
                      .id();
              host.runtime().namespace(Host.SLEEPERS, Host.Probe.class).get(other).run(null);
              past.restoreOnNextSession(bookmarks.getFirst());
            }),
        past(
            "the state at a time to come",
            (host, past) -> past.bookmarkForTime(host.clock.now().plus(Duration.ofDays(1)))),
        past(
            "the state before the recovery window",
            (host, past) -> past.bookmarkForTime(host.clock.now().minus(Duration.ofDays(365)))),
        Mistake.of(
            "a bookmark in a namespace without history",
            host -> host.storage(Host.PLAIN, ObjectStorage::getCurrentBookmark)),
        past(
            "a fork of an object to itself",
            (host, past) ->
                past.fork(
                    past.history(1).entries().getFirst().bookmark(),
                    "a fork of an object to itself")),
        past("no page of the history", (_, past) -> past.history(0)),
        past(
            "an export over a file",
            (host, past) -> {
              Path file = Files.writeString(host.missing(), "mine");
              past.exportTo(file);
            }),
        past(
            "an import of a file that is no database",
            (host, past) -> past.importFrom(Files.writeString(host.missing(), "id;name"))),
        past("an import of a missing file", (host, past) -> past.importFrom(host.missing())));
  }

  private static Mistake past(String title, Use use) {
    return Mistake.of(
        title,
        host -> {
          host.storage(storage -> storage.put("key", "value"));
          use.run(host, host.runtime().recovery(Host.PROBES, id(host, title)));
        });
  }

  private static ObjectId id(Host host, String name) {
    return host.runtime().namespace(Host.PROBES, Host.Probe.class).idFromName(name);
  }
}
