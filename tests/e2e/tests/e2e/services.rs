//! Services, timers and host names, against a real systemd.

use test_support::eventually;

use crate::machine::Machine;

const WEB: &str = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/sh -c 'echo reloaded >>/test/reloads'\n\
                   [Install]\nWantedBy=multi-user.target\n";

const RUNNING: &str = r#"
svc "web" {
	state => "running",
	startup => "enabled",
}
"#;

fn with_web(program: &str) -> Option<Machine> {
    let machine = Machine::boot(program)?;
    machine.write("/etc/systemd/system/web.service", WEB);
    machine.must(&["systemctl", "daemon-reload"]);
    Some(machine)
}

#[test]
fn service_is_started_enabled_and_kept() {
    let Some(machine) = with_web(RUNNING) else { return };
    let is = |word: &str| machine.succeeds(&["systemctl", "--quiet", word, "web.service"]);
    machine.agent();
    eventually("it runs", || is("is-active") && is("is-enabled"));
    for words in [
        &["systemctl", "stop", "web"][..],
        &["systemctl", "kill", "--signal=KILL", "web"],
        &["systemctl", "disable", "web"],
    ] {
        machine.must(words);
        eventually("the state is restored", || is("is-active") && is("is-enabled"));
    }
    // Without the bus the agent uses `systemctl`.
    machine.must(&["systemctl", "stop", "dbus.socket", "dbus.service"]);
    machine.must(&["systemctl", "stop", "web"]);
    eventually("it runs without a bus", || is("is-active"));
    machine.must(&["systemctl", "daemon-reexec"]);
    machine.must(&["systemctl", "stop", "web"]);
    eventually("it runs after systemd was executed again", || is("is-active"));
    drop(machine);
}

#[test]
fn service_is_stopped_and_disabled() {
    let Some(machine) = with_web("") else { return };
    machine.must(&["systemctl", "enable", "--now", "web"]);
    machine.converges("svc \"web\" {\n\tstate => \"stopped\",\n\tstartup => \"disabled\",\n}\n");
    assert!(!machine.succeeds(&["systemctl", "--quiet", "is-active", "web"]));
    assert!(!machine.succeeds(&["systemctl", "--quiet", "is-enabled", "web"]));
}

#[test]
fn notified_service_is_reloaded_once() {
    let program = format!(
        "{RUNNING}\nfile \"/etc/web.conf\" {{\n\tstate => \"exists\",\n\tcontent => \"1\",\n\tNotify => Svc[\"web\"],\n}}\n"
    );
    let Some(machine) = with_web(&program) else { return };
    // A service that was just started is not reloaded.
    machine.converges(&program);
    assert_eq!(machine.scratch.read("reloads"), None);
    machine.converges(&program.replace("\"1\"", "\"2\""));
    assert_eq!(machine.scratch.read("reloads").as_deref(), Some("reloaded\n"));
}

#[test]
fn oneshot_service_is_not_restarted_without_cause() {
    let program = format!("{RUNNING}\nsvc \"once\" {{\n\tstate => \"running\",\n}}\n");
    let Some(machine) = with_web(&program) else { return };
    let planned = machine.run(&["/tools/mgmt-rt", "plan", "/test/main.bin"]);
    let is_refused = planned.status == 1 && planned.err.contains("there is no service once.service on this machine");
    assert!(is_refused, "nothing provides the service: {}{}", planned.out, planned.err);
    machine.scratch.write(
        "main.mcl",
        &format!("{program}exec \"install\" {{\n\tcmd => \"true\",\n\tBefore => Svc[\"once\"],\n}}\n"),
    );
    machine.scratch.build();
    let planned = machine.run(&["/tools/mgmt-rt", "plan", "/test/main.bin"]);
    assert_eq!(planned.status, 3, "{}{}", planned.out, planned.err);
    assert!(planned.out.contains("unknown until exec[install] has changed"), "{}", planned.out);
    machine.scratch.write("main.mcl", &program);
    machine.scratch.build();
    let once = "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo ran >>/test/runs'\n";
    machine.write("/etc/systemd/system/once.service", once);
    machine.must(&["systemctl", "daemon-reload"]);
    machine.agent();
    eventually("it ran", || machine.scratch.read("runs").is_some());
    for _ in 0..3 {
        // A reload checks both services again; `web` running again shows that the check is over.
        machine.must(&["systemctl", "daemon-reload"]);
        machine.must(&["systemctl", "stop", "web"]);
        eventually("the other one runs", || machine.succeeds(&["systemctl", "--quiet", "is-active", "web"]));
    }
    assert_eq!(machine.scratch.read("runs").as_deref(), Some("ran\n"));
}

#[test]
fn refusal_of_systemd_is_reported_and_isolated() {
    let program = r#"
svc "no-such" {
	state => "running",
}
svc "broken" {
	state => "running",
}
svc "brief" {
	state => "running",
}
svc "plain" {
	startup => "enabled",
}
file "/test/beside" {
	state => "exists",
}
"#;
    let Some(machine) = Machine::boot(program) else { return };
    machine.write("/etc/systemd/system/broken.service", "[Service]\nType=oneshot\nExecStart=/bin/false\n");
    machine.write("/etc/systemd/system/brief.service", "[Service]\nType=forking\nExecStart=/bin/true\n");
    machine.write("/etc/systemd/system/plain.service", "[Service]\nExecStart=/bin/true\n");
    machine.must(&["systemctl", "daemon-reload"]);
    let ran = machine.apply_once();
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    for text in [
        "there is no service no-such.service on this machine",
        "cannot start broken.service: the systemd job ended with `failed`",
        "brief.service exited immediately after it was started",
        "plain.service cannot be enabled: its unit file is static",
    ] {
        assert!(ran.err.contains(text), "{text}: {}", ran.err);
    }
    assert!(machine.scratch.path("beside").exists());
}

#[test]
fn user_service_is_kept_over_the_session_bus() {
    let program = RUNNING.replace("svc \"web\" {", "svc \"web\" {\n\tsession => true,");
    let Some(machine) = Machine::boot_with(&program, &["/usr/lib/systemd/user/dbus.socket"]) else { return };
    machine.must(&["mkdir", "-p", "/root/.config/systemd/user", "/run/user/0"]);
    machine.write("/root/.config/systemd/user/web.service", &WEB.replace("multi-user", "default"));
    machine.write(
        "/run/systemd/system/of-root.service",
        "[Service]\nExecStart=/lib/systemd/systemd --user --log-target=null\nType=notify\nDelegate=yes\nUser=root\n\
         Environment=XDG_RUNTIME_DIR=/run/user/0 HOME=/root\n",
    );
    machine.must(&["systemctl", "daemon-reload"]);
    machine.must(&["systemctl", "start", "of-root"]);
    let session = ["env", "XDG_RUNTIME_DIR=/run/user/0"];
    let apply = ["/tools/mgmt-rt", "apply", "/test/main.bin", "--once", "--prefix", "/test/state"];
    let ran = machine.run(&[&session[..], &apply].concat());
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    for word in ["is-active", "is-enabled"] {
        let ran = machine.run(&[&session[..], &["systemctl", "--user", word, "web"]].concat());
        assert_eq!(ran.status, 0, "{word}: {}{}", ran.out, ran.err);
    }
    assert!(!machine.succeeds(&["systemctl", "--quiet", "is-active", "web"]), "the system has no such service");
}

const TIMER: &str = r#"
cron "backup" {
	state => "exists",
	trigger => "OnCalendar",
	time => "daily",
	unit => "web.service",
}
"#;

#[test]
fn timer_is_created_changed_and_removed() {
    let Some(machine) = with_web(TIMER) else { return };
    machine.converges(TIMER);
    let shown = || machine.must(&["systemctl", "show", "backup.timer", "--property=TimersCalendar"]);
    assert!(machine.succeeds(&["systemctl", "--quiet", "is-active", "backup.timer"]));
    assert!(machine.succeeds(&["systemctl", "--quiet", "is-enabled", "backup.timer"]));
    assert!(shown().contains("00:00:00"), "{}", shown());
    machine.converges(&TIMER.replace("daily", "*-*-* 04:30:00"));
    assert!(shown().contains("04:30:00"), "the running timer has the new time: {}", shown());
    machine.converges("cron \"backup\" {\n\tstate => \"absent\",\n}\n");
    assert!(!machine.succeeds(&["systemctl", "--quiet", "is-active", "backup.timer"]));
    assert!(!machine.succeeds(&["test", "-e", "/etc/systemd/system/backup.timer"]));
}

#[test]
fn timer_is_kept() {
    let Some(machine) = with_web(TIMER) else { return };
    let is = |word: &str| machine.succeeds(&["systemctl", "--quiet", word, "backup.timer"]);
    let holds = || is("is-active") && is("is-enabled");
    machine.agent();
    eventually("it is there", holds);
    for words in [
        &["systemctl", "stop", "backup.timer"][..],
        &["systemctl", "disable", "--now", "backup.timer"],
        &["rm", "/etc/systemd/system/backup.timer"],
    ] {
        machine.must(words);
        eventually("the state is restored", || {
            holds() && machine.succeeds(&["test", "-e", "/etc/systemd/system/backup.timer"])
        });
    }
}

#[test]
fn host_name_is_kept_with_and_without_hostnamed() {
    let program = "hostname \"web1\" {\n\tpretty_hostname => \"Web \\\"1\\\"\",\n}\n";
    let Some(machine) = Machine::boot(program) else { return };
    machine.agent();
    let is = |which: &str, name: &str| machine.must(&["hostnamectl", which]).trim() == name;
    let all = || is("--pretty", "Web \"1\"") && is("--static", "web1") && is("--transient", "web1");
    eventually("hostnamed knows the names", all);
    machine.must(&["hostnamectl", "--pretty", "set-hostname", "other"]);
    eventually("the pretty name is back", all);
    machine.must(&["sysctl", "--version"]);
    machine.must(&["hostname", "other"]);
    eventually("the name of the kernel is back", || machine.must(&["uname", "-n"]).trim() == "web1");
    // Without the bus the names are kept in their files.
    machine.must(&["systemctl", "stop", "dbus.socket", "dbus.service"]);
    machine.must(&["hostname", "other"]);
    eventually("the name is back without a bus", || machine.must(&["uname", "-n"]).trim() == "web1");
    machine.must(&["systemctl", "start", "dbus.socket"]);
    machine.must(&["hostnamectl", "--static", "set-hostname", "other"]);
    eventually("the static name is back with the bus", || is("--static", "web1"));
}
