package dev.holdfast.system.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;

/** Rules about single classes and packages. Each has code that breaks it in {@code violations}. */
final class CodeRules {

  /**
   * The only classes that may ask the machine for the time or for randomness: each is the injected
   * source, or selects the default one.
   */
  private static final Set<String> MACHINE_SOURCES =
      Set.of(
          "dev.holdfast.runtime.SystemTimeSource", // the clock of a real runtime
          "dev.holdfast.journal.JournalOptions", // default of the segments' salt
          "dev.holdfast.embedded.Holdfast", // wires a real runtime
          "dev.holdfast.cluster.ClusterHoldfast", // wires a real node
          "dev.holdfast.archive.s3.S3Archive", // default of the store's mark on its objects
          "dev.holdfast.http.HttpApiOptions", // default of the API's clock and identifiers
          "dev.holdfast.console.ConsoleServlet", // wires a real console
          "dev.holdfast.console.ConsoleToken", // makes a token
          "dev.holdfast.faults.FaultyDisk"); // slows a benchmark's fsync in real time

  private CodeRules() {}

  static ArchRule packagesHaveNoCycles() {
    return slices().assignedFrom(new EachPackage()).should().beFreeOfCycles();
  }

  /**
   * A package and all below it are one folder: folders side by side need each other in one
   * direction only, although no two of their packages may form a cycle.
   */
  static ArchRule foldersHaveNoCycles(String parent) {
    return slices().assignedFrom(new FoldersOf(parent)).should().beFreeOfCycles();
  }

  static ArchRule namesSaySomething() {
    return noClasses()
        .should()
        .haveNameMatching(".*(Impl|Manager|Helpers?|Utils?|Utility|Utilities)")
        .because("such a name does not say what the class is for");
  }

  static ArchRule packagesAreNullMarked() {
    return classes()
        .that()
        .resideOutsideOfPackage("gg.jte.generated..") // compiled templates
        .should()
        .resideInAPackage("dev.holdfast..")
        .andShould(new InNullMarkedPackage())
        .because("NullAway checks nothing else");
  }

  static ArchRule timeAndRandomnessAreInjected() {
    return noClasses()
        .that(describe("are not the clock", type -> !MACHINE_SOURCES.contains(outermost(type))))
        .should()
        .accessTargetWhere(
            touches("Thread.sleep", on(Thread.class, "sleep"))
                .or(touches("the system time", on(System.class, "currentTimeMillis", "nanoTime")))
                .or(touches("a system clock", on(Clock.class, "systemUTC", "systemDefaultZone")))
                .or(touches("now()", CodeRules::isNow))
                .or(touches("Math.random", on(Math.class, "random")))
                .or(touches("a random UUID", on(UUID.class, "randomUUID")))
                .or(touches("this thread's Random", on(ThreadLocalRandom.class, "current")))
                .or(touches("a Random without a seed", CodeRules::isNewRandom)))
        .because("tests own time and randomness: take a TimeSource, or a source of bytes");
  }

  /** The process of a planted fault says on its output which test has found it. */
  static ArchRule onlyTheSystemLoggerIsWrittenTo() {
    return noClasses()
        .that()
        .resideOutsideOfPackage("dev.holdfast.faults.planted")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.util.logging..", "org.slf4j..", "org.apache.logging..")
        .orShould()
        .accessTargetWhere(
            touches("standard output", on(System.class, "out", "err"))
                .or(touches("printStackTrace", t -> t.getName().equals("printStackTrace"))))
        .because("the host of a library chooses where its log goes");
  }

  /** Users of the backend do not see its library, and do not need it without such data. */
  static ArchRule rocksDbStaysInside() {
    return noClasses()
        .that(
            describe(
                "are not internal to the backend",
                type ->
                    !type.getPackageName().startsWith("dev.holdfast.backend.rocksdb.")
                        && (!type.getPackageName().equals("dev.holdfast.backend.rocksdb")
                            || type.getModifiers().contains(JavaModifier.PUBLIC))))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rocksdb..")
        .because("RocksDB's library is optional");
  }

  /** Only its module knows which engine replicates the log. */
  static ArchRule ratisStaysInside() {
    return noClasses()
        .that()
        .resideOutsideOfPackage("dev.holdfast.log.ratis..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.ratis..")
        .because("another engine may take its place");
  }

  private static DescribedPredicate<JavaAccess<?>> touches(
      String what, Predicate<AccessTarget> target) {
    return describe(what, access -> target.test(access.getTarget()));
  }

  private static Predicate<AccessTarget> on(Class<?> owner, String... members) {
    Set<String> names = Set.of(members);
    return target -> target.getOwner().isEquivalentTo(owner) && names.contains(target.getName());
  }

  private static boolean isNow(AccessTarget target) {
    return target.getName().equals("now") && target.getOwner().getPackageName().equals("java.time");
  }

  /** A seeded source is deterministic; a SecureRandom only adds a seed to its state. */
  private static boolean isNewRandom(AccessTarget target) {
    return target instanceof AccessTarget.ConstructorCallTarget constructor
        && (constructor.getRawParameterTypes().isEmpty()
                && (constructor.getOwner().isAssignableTo(Random.class)
                    || constructor.getOwner().isEquivalentTo(SplittableRandom.class))
            || constructor.getOwner().isAssignableTo(SecureRandom.class));
  }

  private static String outermost(JavaClass type) {
    String name = type.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static final class EachPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }

  /** The folders in one package, and what is in the package itself. */
  private record FoldersOf(String parent) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = type.getPackageName();
      if (name.equals(parent)) {
        return SliceIdentifier.of(parent);
      }
      if (!name.startsWith(parent + ".")) {
        return SliceIdentifier.ignore();
      }
      int end = name.indexOf('.', parent.length() + 1);
      return SliceIdentifier.of(end < 0 ? name : name.substring(0, end));
    }

    @Override
    public String getDescription() {
      return "folders of " + parent;
    }
  }

  private static final class InNullMarkedPackage extends ArchCondition<JavaClass> {
    InNullMarkedPackage() {
      super("be in a package whose package-info says @NullMarked");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      boolean marked =
          type.getPackage()
              .tryGetPackageInfo()
              .filter(info -> info.isAnnotatedWith(NullMarked.class))
              .isPresent();
      events.add(
          new SimpleConditionEvent(type, marked, type.getPackageName() + " is not @NullMarked"));
    }
  }
}
