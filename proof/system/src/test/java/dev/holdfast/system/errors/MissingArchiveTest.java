package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application without archives, which do not come with Holdfast. */
final class MissingArchiveTest {

  @TempDir private Path directory;

  /** The application, loaded again by a class loader without the archive. */
  public static final class Application implements BiFunction<Path, String, String> {

    @Override
    public String apply(Path directory, String action) {
      DirectoryArchive archive = new DirectoryArchive(directory.resolve("archive"));
      Path data = directory.resolve("data");
      try {
        if (action.equals("restore")) {
          Holdfast.restore(archive, data, RestoreRequest.of(new RestoreTarget.Latest()));
          return "restored";
        }
        RuntimeOptions options =
            action.equals("archive")
                ? RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(archive))
                : RuntimeOptions.DEFAULT;
        try (ObjectRuntime _ = Holdfast.open(data, objects -> objects.options(options))) {
          return "opened";
        }
      } catch (ArchiveException e) {
        return e.getMessage();
      }
    }
  }

  private String without(String action) throws Exception {
    return ClassPathWithout.run("/archive/target/", Application.class, directory, action);
  }

  @Test
  void archiveAndRestoreAreRefusedWithTheDependencyToAdd() throws Exception {
    assertThat(without("archive")).contains("Add dev.holdfast:holdfast-archive");
    assertThat(without("restore")).contains("Add dev.holdfast:holdfast-archive");
    assertThat(directory.resolve("data")).doesNotExist();
    assertThat(without("none")).isEqualTo("opened");
    assertThat(new Application().apply(directory, "archive")).isEqualTo("opened");
  }
}
