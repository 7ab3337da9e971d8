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
import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application without a part that does not come with Holdfast. */
final class MissingPartTest {

  @TempDir private Path directory;

  /** The application, loaded again by a class loader without the part. */
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
            switch (action) {
              case "archive" -> RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(archive));
              case "operator" -> RuntimeOptions.DEFAULT.withOperatorSocket();
              default -> RuntimeOptions.DEFAULT;
            };
        try (ObjectRuntime _ = Holdfast.open(data, objects -> objects.options(options))) {
          return "opened";
        }
      } catch (ArchiveException | DataDirectoryException e) {
        return e.getMessage();
      }
    }
  }

  private String without(String part, String action) throws Exception {
    return ClassPathWithout.run("/" + part + "/target/", Application.class, directory, action);
  }

  @Test
  void archiveAndRestoreAreRefusedWithTheDependencyToAdd() throws Exception {
    assertThat(without("archive", "archive")).contains("Add dev.holdfast:holdfast-archive");
    assertThat(without("archive", "restore")).contains("Add dev.holdfast:holdfast-archive");
    assertThat(directory.resolve("data")).doesNotExist();
    assertThat(without("archive", "none")).isEqualTo("opened");
    assertThat(new Application().apply(directory, "archive")).isEqualTo("opened");
  }

  @Test
  void operatorsSocketIsRefusedWithTheDependencyToAdd() throws Exception {
    assertThat(without("operator", "operator")).contains("Add dev.holdfast:holdfast-operator");
    assertThat(directory.resolve("data")).doesNotExist();
    assertThat(without("operator", "none")).isEqualTo("opened");
    assertThat(new Application().apply(directory, "operator")).isEqualTo("opened");
  }
}
