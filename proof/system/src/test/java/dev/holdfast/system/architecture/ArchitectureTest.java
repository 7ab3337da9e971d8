package dev.holdfast.system.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  /** How many a reader can keep in mind; the page of the package is not counted. */
  private static final int FILES_MAX = 30;

  private static final int LINES_MAX = 700;

  private static final int SHARED_NAMES_MAX = 3;

  private static final HoldfastModules MODULES = HoldfastModules.onClassPath();

  @Test
  void everyModuleOfTheTableIsLookedAtAndNoOther() {
    assertThat(MODULES.names()).isEqualTo(ModuleArrows.DECIDED.sees().keySet());
  }

  @Test
  void everyClassFileIsLookedAt() {
    Set<String> seen = new TreeSet<>();
    MODULES.classes().forEach(type -> seen.add(type.getName()));
    Set<String> present = new TreeSet<>();
    MODULES.names().forEach(module -> present.addAll(MODULES.classFiles(module)));

    assertThat(seen).containsAll(present).hasSizeGreaterThan(50);
  }

  @Test
  void modulesRequireOnlyWhatTheTableAllows() {
    assertThat(ModuleArrows.DECIDED.forbiddenRequires(MODULES)).isEmpty();
  }

  @Test
  void classesTouchOnlyModulesThatTheTableAllows() {
    assertThat(ModuleArrows.DECIDED.forbiddenReferences(MODULES)).isEmpty();
  }

  @Test
  void whatIsLinkedSeesNoTestkitProofOrApplication() {
    assertThat(ModuleArrows.DECIDED.forbiddenPlaces(MODULES)).isEmpty();
  }

  @Test
  void internalPackagesAreNeitherExportedNorOpened() {
    assertThat(ModuleArrows.DECIDED.forbiddenExports(MODULES)).isEmpty();
  }

  /** The compiler refuses a public signature with a type of a module that is not passed on. */
  @Test
  void applicationsMeetNoTypeOfTheSpi() {
    assertThat(List.of("dev.holdfast.api", "dev.holdfast", "dev.holdfast.http"))
        .flatMap(name -> MODULES.descriptor(name).requires())
        .filteredOn(requires -> requires.modifiers().contains(Modifier.TRANSITIVE))
        .extracting(Requires::name)
        .doesNotContain("dev.holdfast.spi");
  }

  @Test
  void packagesHaveNoCycles() {
    holds(CodeRules.packagesHaveNoCycles(), MODULES.classes());
  }

  @Test
  void foldersHaveNoCycles() {
    Set<String> parents = new TreeSet<>();
    for (JavaClass type : MODULES.classes()) {
      String name = type.getPackageName();
      for (int end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
        parents.add(name.substring(0, end));
      }
    }
    assertThat(parents).contains("dev.holdfast.backend.sqlite", "dev.holdfast.runtime.internal");
    parents.forEach(parent -> holds(CodeRules.foldersHaveNoCycles(parent), MODULES.classes()));
  }

  @Test
  void namesSaySomething() {
    holds(CodeRules.namesSaySomething(), MODULES.classes());
  }

  @Test
  void packagesAreNullMarked() {
    holds(CodeRules.packagesAreNullMarked(), MODULES.classes());
  }

  @Test
  void timeAndRandomnessAreInjected() {
    holds(CodeRules.timeAndRandomnessAreInjected(), libraries());
  }

  @Test
  void onlyTheSystemLoggerIsWrittenTo() {
    holds(CodeRules.onlyTheSystemLoggerIsWrittenTo(), libraries());
  }

  @Test
  void ratisStaysInside() {
    holds(CodeRules.ratisStaysInside(), MODULES.classes());
  }

  @Test
  void rocksDbStaysInside() {
    holds(CodeRules.rocksDbStaysInside(), MODULES.classes());
  }

  @Test
  void packagesHaveFewEnoughFilesToBeRead() {
    Map<String, Long> files =
        MODULES.classes().stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .filter(type -> !type.getPackageName().startsWith("gg.jte.generated")) // by the build
            .collect(groupingBy(JavaClass::getPackageName, counting()));
    files.values().removeIf(count -> count <= FILES_MAX);
    assertThat(files).isEmpty();
  }

  @Test
  void filesAreShortEnoughToBeRead() throws IOException {
    Set<String> longer = new TreeSet<>();
    for (String module : MODULES.names()) {
      Path sources = MODULES.directory(module).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(Path.of("../..").resolve(sources))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          try (Stream<String> lines = Files.lines(file)) {
            if (lines.count() > LINES_MAX) {
              longer.add(String.valueOf(file.getFileName()));
            }
          }
        }
      }
    }
    assertThat(longer).isEmpty();
  }

  /** Two classes of one name make each mention of it a question. */
  @Test
  void fewClassNamesAreGivenTwice() {
    Map<String, Set<String>> packages = new TreeMap<>();
    for (JavaClass type : MODULES.classes()) {
      boolean isProduct =
          MODULES
              .moduleOf(type)
              .filter(module -> !MODULES.directory(module).startsWith("proof"))
              .isPresent();
      if (isProduct && type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        packages
            .computeIfAbsent(type.getSimpleName(), _ -> new TreeSet<>())
            .add(type.getPackageName());
      }
    }
    packages.values().removeIf(found -> found.size() < 2);
    assertThat(packages).hasSizeLessThanOrEqualTo(SHARED_NAMES_MAX);
  }

  private static void holds(ArchRule rule, JavaClasses classes) {
    rule.check(classes);
  }

  private static JavaClasses libraries() {
    return MODULES
        .classes()
        .that(
            describe(
                "are part of a library",
                (JavaClass type) ->
                    MODULES.moduleOf(type).filter(ModuleArrows.APPLICATIONS::contains).isEmpty()));
  }
}
