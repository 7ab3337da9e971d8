package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule detects the code in {@code violations} that breaks it. */
class RulesBiteTest {
  private static final String VIOLATIONS_PACKAGE = "dev.holdfast.system.architecture.violations";
  private static final JavaClasses VIOLATIONS =
      new ClassFileImporter().importPackages(VIOLATIONS_PACKAGE);

  private static final HoldfastModules MODULES = HoldfastModules.onClassPath();

  private static final ModuleArrows NOTHING_ALLOWED = new ModuleArrows(Map.of(), Map.of());

  /** What {@code violations.MachineTimeAndChance} calls, once each. */
  private static final List<String> TOUCHES =
      List.of(
          "Thread.sleep",
          "System.currentTimeMillis",
          "System.nanoTime",
          "Clock.systemUTC",
          "Instant.now",
          "Math.random",
          "UUID.randomUUID",
          "ThreadLocalRandom.current",
          "util.Random.<init>",
          "SplittableRandom.<init>",
          "SecureRandom.<init>");

  @Test
  void cyclesBetweenPackagesAreFound() {
    assertThat(complaints(CodeRules.packagesHaveNoCycles()))
        .singleElement()
        .asString()
        .contains("violations.west -> ", "violations.east -> ");
  }

  @Test
  void cyclesBetweenFoldersAreFound() {
    assertThat(complaints(CodeRules.foldersHaveNoCycles(VIOLATIONS_PACKAGE)))
        .hasSize(2)
        .anyMatch(line -> line.contains("violations.north -> "));
  }

  @Test
  void emptyNamesAreFound() {
    assertThat(complaints(CodeRules.namesSaySomething()))
        .hasSize(2)
        .anyMatch(line -> line.contains("StorageManager"))
        .anyMatch(line -> line.contains("StorageImpl"));
  }

  @Test
  void packagesWithoutNullMarkAreFound() {
    assertThat(complaints(CodeRules.packagesAreNullMarked()))
        .contains("dev.holdfast.system.architecture.violations.east is not @NullMarked");
  }

  @Test
  void eachUseOfTimeOrRandomnessIsFound() {
    assertThat(complaints(CodeRules.timeAndRandomnessAreInjected()))
        .extracting(line -> TOUCHES.stream().filter(line::contains).findFirst().orElse(line))
        .containsExactlyInAnyOrderElementsOf(TOUCHES);
  }

  @Test
  void eachWayAroundTheSystemLoggerIsFound() {
    assertThat(complaints(CodeRules.onlyTheSystemLoggerIsWrittenTo()))
        .anyMatch(line -> line.contains("java.util.logging.Logger"))
        .anyMatch(line -> line.contains("System.out"))
        .anyMatch(line -> line.contains("System.err"))
        .anyMatch(line -> line.contains("printStackTrace"));
  }

  @Test
  void useOfRocksDbIsFound() {
    assertThat(complaints(CodeRules.rocksDbStaysInside()))
        .anyMatch(line -> line.contains("violations.RocksDbLeak"));
  }

  @Test
  void useOfRatisIsFound() {
    assertThat(complaints(CodeRules.ratisStaysInside()))
        .anyMatch(line -> line.contains("violations.RatisLeak"));
  }

  @Test
  void arrowsAndExportsOutsideTheTableAreFound() {
    assertThat(NOTHING_ALLOWED.forbiddenRequires(MODULES))
        .contains("dev.holdfast.runtime requires dev.holdfast.spi");
    assertThat(NOTHING_ALLOWED.forbiddenReferences(MODULES))
        .anyMatch(line -> line.contains("ObjectKey.id()> has return type <dev.holdfast.ObjectId>"));
    assertThat(NOTHING_ALLOWED.forbiddenExports(MODULES))
        .contains("dev.holdfast.api exports dev.holdfast.sql");
  }

  @Test
  void arrowsAgainstThePlacesAreFound() {
    Map<String, Set<String>> sees =
        Map.of(
            "dev.holdfast.api", Set.of("dev.holdfast.testkit", "dev.holdfast.faults"),
            "dev.holdfast.testkit", Set.of("dev.holdfast.contract", "dev.holdfast.spi"),
            "dev.holdfast.ledger", Set.of("dev.holdfast.testkit", "dev.holdfast.launcher"),
            "dev.holdfast.contract", Set.of("dev.holdfast.api", "dev.holdfast.ledger"));

    assertThat(new ModuleArrows(sees, Map.of()).forbiddenPlaces(MODULES))
        .containsExactly(
            "dev.holdfast.api may see dev.holdfast.faults",
            "dev.holdfast.api may see dev.holdfast.testkit",
            "dev.holdfast.ledger may see dev.holdfast.testkit",
            "dev.holdfast.testkit may see dev.holdfast.contract");
  }

  @Test
  void clumsyPhrasesAreFound() throws IOException {
    Path source =
        Path.of("src/test/java/dev/holdfast/system/architecture/violations/ClumsyProse.java");

    assertThat(Prose.in(source))
        .containsExactly("whoever", "takes note", "so many", "sees to it", "is told");
    assertThat(Prose.inJava("warn(\"The caller \" + \"is\"\n + \" told.\");", true))
        .containsExactly("is told");
    assertThat(Prose.inMarkdown("The thread who waits; a `Test.whoWaits`, \"who waits\"."))
        .containsExactly("who");
    assertThat(
            Prose.inMessages(
                """
                // A comment: that of a node.
                throw new IOException("There is no file " + name + ", or it is no " + "file, and"
                    + " those of " + node + " have names of their own");
                """))
        .containsExactly("is no ", "those of", "of their own");
  }

  private static List<String> complaints(ArchRule rule) {
    return rule.evaluate(VIOLATIONS).getFailureReport().getDetails();
  }
}
