package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.console.ConsoleRole;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.ShopApplication;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The console in the web server of an application. */
class ConsoleInBootTest {

  @TempDir private Path directory;

  private final HttpClient browser =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private String address = "";

  /** A person's role is in a header, as a filter of an application would find it in a session. */
  @Configuration(proxyBeanMethods = false)
  static class Roles {

    @Bean
    Filter roles() {
      return (request, response, chain) ->
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public boolean isUserInRole(String role) {
                  return role.equals(getHeader("X-Role"));
                }
              },
              response);
    }
  }

  /** Decides by another header. */
  @Configuration(proxyBeanMethods = false)
  static class Login {

    @Bean
    ConsoleLogin consoleLogin() {
      return request ->
          "yes".equals(request.getHeader("X-Let-In"))
              ? Optional.of(ConsoleRole.VIEWER)
              : Optional.empty();
    }
  }

  private ConfigurableApplicationContext start(Class<?> more, String... properties) {
    List<String> arguments = new ArrayList<>(List.of(properties));
    arguments.addAll(
        List.of(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--holdfast.directory=" + directory.resolve("data")));
    ConfigurableApplicationContext shop =
        new SpringApplication(ShopApplication.class, more).run(arguments.toArray(String[]::new));
    shop.getBean(ObjectRuntime.class).namespace("carts", Cart.class).getByName("ann").add("tea", 2);
    address =
        "http://127.0.0.1:" + shop.getEnvironment().getRequiredProperty("local.server.port") + "/";
    return shop;
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return browser.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> login(String base, String token) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(URI.create(address + base + "/login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("token=" + token))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void thereIsNoConsoleUntilItIsSwitchedOn() throws Exception {
    try (ConfigurableApplicationContext _ = start(ShopApplication.class)) {
      assertThat(get("holdfast/login").statusCode()).isEqualTo(404);
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void withoutALoginATokenIsLoggedOnce(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext _ =
        start(ShopApplication.class, "--holdfast.console.enabled=true")) {
      String sentence = "this token logs an operator in: ";
      assertThat(output.getOut().split(sentence, -1)).hasSize(2);
      String token = output.getOut().split(sentence, -1)[1].substring(0, 32);

      assertThat(get("holdfast").body()).contains("Log in");
      assertThat(login("holdfast", token).body()).contains("Overview");
      assertThat(get("holdfast/objects?namespace=carts").body()).contains(">ann</a>");
      assertThat(get("holdfast/archive").body()).contains("Make a backup");
      assertThat(get("holdfast/assets/console.css").statusCode()).isEqualTo(200);
      assertThat(get("carts/ann").body()).as("the application").isEqualTo("600");
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void tokensOfThePropertiesLetPeopleInAtThePath(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext _ =
        start(
            ShopApplication.class,
            "--holdfast.console.enabled=true",
            "--holdfast.console.path=/ops/objects",
            "--holdfast.console.redacted=true",
            "--holdfast.console.viewer-token=viewer-viewer-viewer")) {
      assertThat(output).doesNotContain("logs an operator in", "viewer-viewer");
      assertThat(login("ops/objects", "viewer-viewer-viewer").body()).contains("Overview");
      assertThat(get("ops/objects/archive").body()).doesNotContain("Make a backup");
      assertThat(get("ops/objects/object?namespace=carts&object=ann").body())
          .doesNotContain("textarea");
    }
  }

  @Test
  void rolesOfTheApplicationLetPeopleIn() throws Exception {
    try (ConfigurableApplicationContext _ =
        start(
            Roles.class,
            "--holdfast.console.enabled=true",
            "--holdfast.console.operator-role=OPS",
            "--holdfast.console.viewer-role=SUPPORT")) {
      assertThat(get("holdfast/").statusCode()).isEqualTo(403);
      assertThat(get("holdfast/", "X-Role", "OTHER").statusCode()).isEqualTo(403);
      assertThat(get("holdfast/archive", "X-Role", "SUPPORT").body())
          .contains("Archive and backup")
          .doesNotContain("Make a backup");
      assertThat(get("holdfast/archive/act?action=purge", "X-Role", "SUPPORT").statusCode())
          .isEqualTo(403);
      assertThat(get("holdfast/archive", "X-Role", "OPS").body()).contains("Make a backup");
      assertThat(login("holdfast", "x").statusCode()).as("no tokens").isEqualTo(404);
    }
  }

  @Test
  void beanOfTheApplicationDecides() throws Exception {
    try (ConfigurableApplicationContext _ =
        start(
            Login.class,
            "--holdfast.console.enabled=true",
            "--holdfast.console.operator-role=OPS")) {
      assertThat(get("holdfast/").statusCode()).isEqualTo(403);
      assertThat(get("holdfast/", "X-Let-In", "yes").body()).contains("Overview");
    }
  }

  @Test
  void missingArtifactAndWrongPropertiesAreNamed() {
    WebApplicationContextRunner runner =
        new WebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    HoldfastAutoConfiguration.class, HoldfastConsoleAutoConfiguration.class))
            .withPropertyValues(
                "holdfast.directory=" + directory.resolve("data"), "holdfast.console.enabled=true");
    failsWith(
        runner.withClassLoader(new FilteredClassLoader("dev.holdfast.console")),
        "Add the dependency dev.holdfast:holdfast-console");
    failsWith(
        runner.withPropertyValues("holdfast.console.path=console/"), "It begins with a slash");
    failsWith(
        runner.withPropertyValues("holdfast.console.operator-token=short"),
        "holdfast.console.operator-token: A token of the console needs at least 20");
    runner
        .withClassLoader(new FilteredClassLoader("dev.holdfast.console"))
        .withPropertyValues("holdfast.console.enabled=false")
        .run(context -> assertThat(context).hasNotFailed());
  }

  private static void failsWith(WebApplicationContextRunner application, String text) {
    application.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure()).hasStackTraceContaining(text);
        });
  }
}
