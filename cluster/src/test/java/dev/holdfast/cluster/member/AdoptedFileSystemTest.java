package dev.holdfast.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that does not say on which file system a directory is, as some containers. */
final class AdoptedFileSystemTest {

  private static final AdoptedDirectory.FileSystems UNKNOWN =
      _ -> {
        throw new IOException("Mount point not found");
      };

  @TempDir private Path directory;
  private Path data;

  @BeforeEach
  void singleMachine() {
    data = directory.resolve("data");
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            objects ->
                objects.namespace(
                    "n", Runnable.class, context -> () -> context.storage().put("a", "b")))) {
      runtime.namespace("n", Runnable.class).getByName("a").run();
    }
  }

  private void adopt(Disk disk, AdoptedDirectory.FileSystems systems) {
    AdoptedDirectory.adopt(disk, data, "test", new NodeId("a"), new Random(1), systems);
  }

  @Test
  void directoryIsAdoptedIfAFileCanBeMovedOutOfEachPart() throws Exception {
    adopt(new FileDisk(), UNKNOWN);
    assertThat(data.resolve("shards/0000/sqlite/n")).isDirectory();
    try (Stream<Path> all = Files.walk(data)) {
      assertThat(all).noneMatch(each -> each.toString().contains("probe"));
    }
  }

  @Test
  void directoryOutOfWhichNoFileCanBeMovedIsOnAnotherFileSystem() {
    Disk disk = new FileDisk();
    Disk divided =
        (Disk)
            Proxy.newProxyInstance(
                Disk.class.getClassLoader(),
                new Class<?>[] {Disk.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("move")
                      && ((Path) arguments[0]).endsWith("adopt.probe")) {
                    throw new IOException("Invalid cross-device link");
                  }
                  try {
                    return method.invoke(disk, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    assertThatThrownBy(() -> adopt(divided, UNKNOWN))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is on another file system")
        .hasMessageContaining("nothing was changed");
    assertThat(data.resolve("node")).doesNotExist();
    assertThat(data.resolve("journal/adopt.probe")).doesNotExist();
  }

  @Test
  void directoryThatTheMachineSaysIsElsewhereIsRefused() {
    assertThatThrownBy(() -> adopt(new FileDisk(), file -> file.equals(data) ? "here" : "there"))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is on another file system");
    assertThat(data.resolve("node")).doesNotExist();
  }
}
