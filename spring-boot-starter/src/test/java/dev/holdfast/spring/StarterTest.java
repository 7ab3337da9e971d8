package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spring.broken.shape.Shapeless;
import dev.holdfast.spring.broken.twice.One;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.Prices;
import dev.holdfast.spring.shop.ShopApplication;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** How the starter opens a runtime, and what it refuses. */
class StarterTest {

  @TempDir private Path directory;
  private ApplicationContextRunner runner;

  @AutoConfigurationPackage(basePackageClasses = ShopApplication.class)
  static class Shop {}

  @AutoConfigurationPackage(basePackageClasses = One.class)
  static class Twice {}

  @AutoConfigurationPackage(basePackageClasses = Shapeless.class)
  static class Shape {}

  static final class PricesOfCarts extends Prices {

    private final ObjectNamespace<Cart> carts;

    PricesOfCarts(ObjectNamespace<Cart> carts) {
      this.carts = carts;
    }

    @Override
    public long of(String article) {
      return 7 + carts.getByName("bob").total();
    }
  }

  @BeforeEach
  void givenARunner() {
    runner =
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
            .withPropertyValues("holdfast.directory=" + directory.resolve("data"));
  }

  private void failsWith(ApplicationContextRunner application, String text) {
    application.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure()).hasStackTraceContaining(text);
        });
  }

  @Test
  void dataOutlivesTheContext() {
    ApplicationContextRunner shop = runner.withUserConfiguration(Shop.class, Prices.class);
    shop.run(context -> cart(context.getBean(ObjectRuntime.class)).add("tea", 2));
    shop.run(
        context -> {
          assertThat(cart(context.getBean(ObjectRuntime.class)).total()).isEqualTo(600);
          assertThat(context.getBeanNamesForType(ObjectRuntime.class)).hasSize(1);
        });
  }

  private static Cart cart(ObjectRuntime runtime) {
    return runtime.namespace("carts", Cart.class).getByName("ann");
  }

  /**
   * The clock runs alarms that are due before it goes on: one that is not held would have fired.
   */
  @Test
  void alarmsWaitUntilTheApplicationIsReady() {
    VirtualClock clock = new VirtualClock();
    List<Integer> beforeReady = new ArrayList<>();
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.addInitializers(
        context -> {
          GenericApplicationContext beans = (GenericApplicationContext) context;
          beans.registerBean(VirtualClock.class, () -> clock);
          beans.registerBean(
              ApplicationRunner.class,
              () ->
                  _ -> {
                    Cart cart = cart(beans.getBean(ObjectRuntime.class));
                    cart.remind();
                    clock.advance(Duration.ofMinutes(1));
                    beforeReady.add(cart.reminders());
                  });
        });
    try (ConfigurableApplicationContext context =
        application.run("--holdfast.directory=" + directory.resolve("data"))) {
      clock.advance(Duration.ofMinutes(1));
      assertThat(beforeReady).containsExactly(0);
      assertThat(cart(context.getBean(ObjectRuntime.class)).reminders()).isEqualTo(1);
    }
  }

  @Test
  void applicationWithoutObjectsStarts() {
    runner.run(context -> assertThat(context).hasSingleBean(ObjectRuntime.class));
  }

  @Test
  void runtimeOfTheApplicationIsTheOnlyOne() {
    try (ObjectRuntime own = Holdfast.open(directory.resolve("own"), _ -> {})) {
      runner
          .withBean("own", ObjectRuntime.class, () -> own)
          .run(
              context -> {
                assertThat(context).hasSingleBean(ObjectRuntime.class);
                assertThat(directory.resolve("data")).doesNotExist();
              });
    }
  }

  @Test
  void customizersRegisterMore() {
    runner
        .withBean(
            HoldfastCustomizer.class,
            () -> objects -> objects.namespace("plain", Runnable.class, _ -> () -> {}))
        .run(
            context ->
                assertThat(context.getBean(ObjectRuntime.class).statistics().namespaces())
                    .containsKey("plain"));
  }

  @Test
  void archiveHasTheRetentionOfTheProperties() {
    String[] archive = {"holdfast.archive.directory=" + directory.resolve("archive")};
    runner
        .withPropertyValues(archive)
        .run(context -> assertThat(retention(context)).isEqualTo(ArchiveOptions.FOREVER));
    runner
        .withPropertyValues(archive)
        .withPropertyValues("holdfast.archive.retention=90d")
        .run(context -> assertThat(retention(context)).isEqualTo(Duration.ofDays(90)));
    failsWith(
        runner.withPropertyValues(archive).withPropertyValues("holdfast.archive.retention=0s"),
        "retention must be more than zero");
  }

  private static Duration retention(BeanFactory context) {
    return Objects.requireNonNull(
            context.getBean(HoldfastProperties.class).runtimeOptions().archive())
        .retention();
  }

  @Test
  void optionsOfAnUnknownNamespaceAreRefused() {
    failsWith(
        runner
            .withUserConfiguration(Shop.class, Prices.class)
            .withPropertyValues("holdfast.namespaces.cart.idle-timeout=5s"),
        "holdfast.namespaces.cart is set, but no class has @DurableObject(\"cart\"); there are"
            + " [carts]");
  }

  @Test
  void twoClassesOfOneNamespaceAreRefused() {
    failsWith(
        runner.withUserConfiguration(Twice.class), "Two classes with @DurableObject(\"same\")");
  }

  @Test
  void classWithoutAnInterfaceForCallersIsRefused() {
    failsWith(
        runner.withUserConfiguration(Shape.class), "must implement one interface for its callers");
  }

  @Test
  void beanThatAConstructorNeedsMustExist() {
    runner
        .withUserConfiguration(Shop.class)
        .run(
            context -> {
              assertThat(context.getStartupFailure())
                  .isInstanceOfSatisfying(
                      UnsatisfiedDependencyException.class,
                      e ->
                          assertThat(Objects.requireNonNull(e.getInjectionPoint()).getMember())
                              .as("the place that Boot's analysis names")
                              .hasToString(
                                  "dev.holdfast.spring.shop.CartObject("
                                      + "dev.holdfast.ObjectContext,"
                                      + "dev.holdfast.spring.shop.Prices)"))
                  .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);
            });
  }

  @Test
  void beanOfAScopeThatIsNotActiveExists() {
    new WebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
        .withPropertyValues("holdfast.directory=" + directory.resolve("data"))
        .withUserConfiguration(Shop.class)
        .withBean(Prices.class, Prices::new, definition -> definition.setScope("request"))
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void beanOfAnObjectMayCallObjects() {
    runner
        .withUserConfiguration(Shop.class)
        .withBean(PricesOfCarts.class)
        .run(
            context -> {
              Cart cart = cart(context.getBean(ObjectRuntime.class));
              cart.add("tea", 2);
              assertThat(cart.total()).isEqualTo(14);
            });
  }

  @Test
  void directoryInUseIsExplained() {
    try (ObjectRuntime _ = Holdfast.open(directory.resolve("data"), _ -> {})) {
      runner.run(
          context -> {
            FailureAnalysis analysis =
                new DirectoryInUseFailureAnalyzer()
                    .analyze(Objects.requireNonNull(context.getStartupFailure()));
            assertThat(analysis.getCause()).isInstanceOf(DirectoryInUseException.class);
            assertThat(analysis.getAction()).contains("holdfast.directory");
          });
    }
  }

  /** By {@code main}: Boot finds the analyzers, and prints instead of a stack trace. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void startInADirectoryInUsePrintsWhatToDo(CapturedOutput output) {
    Path data = directory.resolve("data");
    try (ObjectRuntime _ = Holdfast.open(data, _ -> {})) {
      assertThatThrownBy(
              () ->
                  SpringApplication.run(
                      ShopApplication.class, "--server.port=0", "--holdfast.directory=" + data))
          .hasRootCauseInstanceOf(DirectoryInUseException.class);
    }
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "Action:", "holdfast.directory")
        .doesNotContain("\tat ");
  }

  @Test
  void deniedNativeAccessIsExplained() {
    IllegalCallerException denied = new IllegalCallerException("denied");
    NativeAccessFailureAnalyzer analyzer = new NativeAccessFailureAnalyzer();
    FailureAnalysis analysis =
        analyzer.analyze(
            new IllegalStateException(new DataDirectoryException(directory, "no library", denied)));
    assertThat(analysis.getAction()).contains("--enable-native-access=ALL-UNNAMED");
    assertThat(analyzer.analyze(new IllegalStateException(denied)))
        .as("of another library")
        .isNull();
  }

  @Test
  void migrationsAreReadInTheOrderOfTheirVersions() {
    MigrationFiles files = new MigrationFiles(new DefaultResourceLoader());
    assertThat(files.of("carts").stream().map(step -> step.name()))
        .containsExactly("V1__lines", "V2__notes");
    assertThat(files.of("nothing")).isEmpty();
  }

  @Test
  void hintsNameTheMigrationsAndWhatIsReachedByReflection() {
    RuntimeHints hints = new RuntimeHints();
    new HoldfastRuntimeHints().registerHints(hints, null);
    assertThat(RuntimeHintsPredicates.resource().forResource("holdfast/carts/V1__lines.sql"))
        .accepts(hints);
    assertThat(
            RuntimeHintsPredicates.reflection()
                .onType(DurableObject.class)
                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
        .accepts(hints);
    assertThat(
            RuntimeHintsPredicates.reflection()
                .onType(HoldfastProperties.class)
                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS))
        .accepts(hints);
    assertThat(RuntimeHintsPredicates.reflection().onType(HoldfastLifecycle.class)).rejects(hints);
  }

  @Test
  void propertiesHaveDescriptions() throws Exception {
    Path metadata =
        Path.of(
            HoldfastProperties.class
                .getResource("/META-INF/spring-configuration-metadata.json")
                .toURI());
    assertThat(Files.readString(metadata))
        .contains(
            "holdfast.directory",
            "holdfast.value-cache-max",
            "holdfast.archive.retention",
            "holdfast.console.path");
  }
}
