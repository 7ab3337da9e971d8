package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The parts that {@code holdfast-all} brings are found, in whatever way an application is built.
 */
final class FoundServicesTest {

  private static final String LIBRARY = "rocksdbjni";

  private static final String VISITS =
      """
      import dev.holdfast.NamespaceOptions;
      import dev.holdfast.ObjectContext;
      import dev.holdfast.ObjectRuntime;
      import dev.holdfast.RuntimeOptions;
      import dev.holdfast.StorageKind;
      import dev.holdfast.archive.ArchiveOptions;
      import dev.holdfast.archive.DirectoryArchive;
      import dev.holdfast.embedded.Holdfast;
      import java.nio.file.Path;

      public class Visits {
        public interface Counter {
          long add(long delta);
        }

        record CounterObject(ObjectContext context) implements Counter {
          public long add(long delta) {
            long sum = context.storage().get("sum", Long.class).orElse(0L) + delta;
            context.storage().put("sum", sum);
            return sum;
          }
        }

        public static void main(String[] arguments) {
          DirectoryArchive archive = new DirectoryArchive(Path.of("archive"));
          RuntimeOptions archived = RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(archive));
          try (ObjectRuntime runtime =
              Holdfast.open(
                  Path.of("data"),
                  objects ->
                      objects.options(archived).namespace(
                          "counters",
                          Counter.class,
                          CounterObject::new,
                          NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)))) {
            Counter visits = runtime.namespace("counters", Counter.class).getByName("page");
            System.out.println("visit " + visits.add(1));
          }
        }
      }
      """;

  @TempDir private Path directory;

  private OutsideProject project() throws Exception {
    Readme readme = Readme.read();
    String library =
        readme.blocks("xml").stream()
            .filter(block -> block.contains(LIBRARY))
            .findAny()
            .orElseThrow();
    OutsideProject project =
        new OutsideProject(
            directory, readme.block("xml").replace(">holdfast<", ">holdfast-all<") + library);
    project.source("Visits.java", VISITS);
    project.compile();
    return project;
  }

  private static void makeModule(OutsideProject project) throws Exception {
    project.clean();
    project.source("module-info.java", "module visits { requires dev.holdfast; exports visits; }");
    project.source("visits/Visits.java", "package visits;\n" + VISITS);
  }

  @Test
  void partsAreFoundOnEachPath() throws Exception {
    OutsideProject project = project();
    assertIsVisit(1, project.java("--enable-native-access=ALL-UNNAMED", "Visits"));
    makeModule(project);
    assertIsVisit(2, project.javaModule("--add-modules=" + LIBRARY, "visits/visits.Visits"));
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void partsAreFoundInOneJarAndInAnImage() throws Exception {
    OutsideProject project = project();
    assertIsVisit(1, project.javaMerged("--enable-native-access=ALL-UNNAMED", "Visits"));
    makeModule(project);
    assertIsVisit(2, project.javaImage("dev.holdfast.all", LIBRARY, "visits/visits.Visits"));
  }

  private static void assertIsVisit(int number, EndedProcess ended) {
    assertThat(ended.exitCode()).as(ended.toString()).isZero();
    assertThat(ended.output()).isEqualTo("visit " + number + "\n");
  }
}
