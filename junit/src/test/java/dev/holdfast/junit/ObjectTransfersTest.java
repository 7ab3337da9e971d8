package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.junit.Counter.CounterObject;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.simulation.HoldfastControl;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that leave and enter as files, and go back, in both modes. */
class ObjectTransfersTest {

  /** The same in both modes. */
  abstract static class Contract {

    @RegisterObjects
    static void objects(ObjectRegistrar objects) {
      objects.namespace("counters", Counter.class, CounterObject::new);
    }

    static ObjectRecovery recovery(
        ObjectNamespace<Counter> counters, HoldfastControl holdfast, String name) {
      return holdfast.runtime().recovery(counters.name(), counters.idFromName(name));
    }

    @Test
    void objectIsExportedAndImported(
        ObjectNamespace<Counter> counters, HoldfastControl holdfast, @TempDir Path directory) {
      Path file = directory.resolve("ann.sqlite");
      counters.getByName("ann").add(3);
      recovery(counters, holdfast, "ann").exportTo(file);
      recovery(counters, holdfast, "bob").importFrom(file);
      assertThat(counters.getByName("bob").value()).isEqualTo(3);
      holdfast.crash();
      assertThat(counters.getByName("bob").add(1)).isEqualTo(4);
      assertThatThrownBy(() -> recovery(counters, holdfast, "ann").exportTo(file))
          .isInstanceOf(ObjectFileException.class);
    }

    @Test
    void objectGoesBackAndIsForked(ObjectNamespace<Counter> counters, HoldfastControl holdfast) {
      counters.getByName("ann").add(1);
      ObjectRecovery ann = recovery(counters, holdfast, "ann");
      String one =
          holdfast.inObject(
              counters, counters.idFromName("ann"), (_, storage) -> storage.getCurrentBookmark());
      counters.getByName("ann").add(1);
      ann.fork(one, "bob", counters.idFromName("ann"));
      holdfast.runtime().admin().restoreNow(counters.name(), counters.idFromName("ann"), one);
      assertThat(counters.getByName("ann").value()).isEqualTo(1);
      assertThat(counters.getByName("bob", counters.idFromName("ann")).value()).isEqualTo(1);
    }
  }

  /** With the journal in memory. */
  @Nested
  @HoldfastTest
  class InMemory extends Contract {

    @Test
    void backupNeedsFiles(HoldfastControl holdfast, @TempDir Path directory) {
      assertThatThrownBy(() -> holdfast.runtime().backup(directory.resolve("backup")))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  /** With the journal in files. */
  @Nested
  @HoldfastTest(HoldfastTest.Mode.FILES)
  class InFiles extends Contract {

    @Test
    void backupIsMade(
        ObjectNamespace<Counter> counters, HoldfastControl holdfast, @TempDir Path directory) {
      counters.getByName("ann").add(1);
      Path backup = directory.resolve("backup");
      holdfast.runtime().backup(backup);
      assertThat(Files.isDirectory(backup.resolve("journal"))).isTrue();
    }
  }
}
