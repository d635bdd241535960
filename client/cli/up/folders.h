// Where `kernelsmith up` keeps what in its data folder.
//
//   up.lock                        held while it runs; holds its process id
//   endpoints.json                 where clients find the servers, while it runs
//   prometheus-targets.json        targets for Prometheus' file_sd_configs
//   config/<daemon>.textproto      the configuration that the daemon was started with
//   run/<daemon>.pid .port .metrics
//   log/<daemon>.log
//   memory/ coordinator/ worker-0/ the daemons' own data
#pragma once

#include <string>

namespace kernelsmith::client {

struct UpFolders {
  std::string data;

  std::string Lock() const { return data + "/up.lock"; }
  std::string PrometheusTargets() const { return data + "/prometheus-targets.json"; }
  std::string Config(const std::string& daemon) const { return data + "/config/" + daemon + ".textproto"; }
  std::string Pid(const std::string& daemon) const { return data + "/run/" + daemon + ".pid"; }
  std::string Port(const std::string& daemon) const { return data + "/run/" + daemon + ".port"; }
  std::string MetricsPort(const std::string& daemon) const { return data + "/run/" + daemon + ".metrics"; }
  std::string Log(const std::string& daemon) const { return data + "/log/" + daemon + ".log"; }
  std::string Data(const std::string& daemon) const { return data + "/" + daemon; }
};

}  // namespace kernelsmith::client
